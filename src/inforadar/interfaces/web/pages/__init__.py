"""The web page: what people see and click, made by the server."""
