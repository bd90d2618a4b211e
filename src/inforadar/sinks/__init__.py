"""Sinks: where matches are delivered to; one file each."""
