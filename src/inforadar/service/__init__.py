"""What keeps radar running by itself: the schedule, the steps of its jobs, threads up and down."""
