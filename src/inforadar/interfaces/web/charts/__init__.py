"""Pictures as numbers for SVG: where lines, bars and labels go. The templates draw them; no text comes from here."""
