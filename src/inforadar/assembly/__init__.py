"""How the parts of one process are made of its configuration, store, network and clock; bootstrap names the parts."""
