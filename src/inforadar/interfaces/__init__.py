"""What people and programs touch: the command line now, the terminal program and the web page later."""
