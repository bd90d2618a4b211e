"""The network: one guarded HTTP client for sources, judges and sinks."""
