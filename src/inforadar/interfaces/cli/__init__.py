"""The command line. Commands are loaded when they are called, so that `radar --help` loads nothing heavy."""
