"""What a process knows of itself and says about itself: time, chance, log, metrics, secrets."""
