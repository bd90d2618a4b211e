"""Opening and copying the address of a listing: only a plain web address, and only where a window can come up."""

import os
import sys
from collections.abc import Mapping
from typing import Any

from textual.app import App as TextualApp

from inforadar.sinks.card_words import safe_link


def web_address(url: str) -> str | None:
    """The address as it may be opened, shown and copied; None for anything but http and https."""
    return safe_link(url)


def open_listing(program: TextualApp[Any], url: str) -> str:
    """Open the page of a listing where a window can come up, else show its address; what to tell the user."""
    address = web_address(url)
    if address is None:
        return "This listing has no plain web address: it is not opened."
    if not has_windows():
        return address
    program.open_url(address)
    return f"Opened {address}"


def copy_address(program: TextualApp[Any], url: str) -> str:
    """Copy the address of a listing by way of the terminal; what to tell the user."""
    address = web_address(url)
    if address is None:
        return "This listing has no plain web address: it is not copied."
    program.copy_to_clipboard(address)
    return f"Copied {address}"


def has_windows(env: Mapping[str, str] | None = None, platform: str = sys.platform) -> bool:
    """Whether a browser would come up in a window of its own; a text browser would take the terminal from us."""
    env = os.environ if env is None else env
    if env.get("SSH_CONNECTION") and not env.get("DISPLAY"):
        return False
    return platform in ("darwin", "win32") or bool(env.get("DISPLAY") or env.get("WAYLAND_DISPLAY"))
