"""Everything that asks the outside world for items: one guarded HTTP client, one file per source."""
