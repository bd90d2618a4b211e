"""Collecting: one sweep of a query through the governor into the store, page by page."""
