"""What is true: plain values and pure functions; no clock, no chance, no network, no store."""
