"""The contestants of the queue bench: each a module that is run as a process of its own (see `contest`)."""
