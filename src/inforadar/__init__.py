"""Info Radar: a self-hosted radar for saved searches."""
