"""The pipeline: what happens to one match between its first job and its delivery."""
