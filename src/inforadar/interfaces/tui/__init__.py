"""The terminal program: screens and widgets, one to a file; the engine works in threads behind them."""
