"""The REST API over HTTP, and the room for the web page."""
