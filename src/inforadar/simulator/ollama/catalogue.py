"""The models a server has, as its lists show them."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from inforadar.simulator.ollama.native import moment

Json = dict[str, Any]
MODIFIED_AT = datetime(2025, 6, 1, 9, 30, tzinfo=UTC)
KEPT = timedelta(minutes=5)
BYTES_OF_SIZE = 600_000_000


def full_name(name: str) -> str:
    """A model's name with its tag."""
    return name if ":" in name else f"{name}:latest"


def tags(models: Iterable[str]) -> Json:
    """The answer of /api/tags."""
    return {"models": [{**_card(name), "modified_at": moment(MODIFIED_AT)} for name in models]}


def running(models: Iterable[str], now: datetime) -> Json:
    """The answer of /api/ps."""
    shown = [{**_card(name), "expires_at": moment(now + KEPT), "size_vram": _size(name)} for name in models]
    return {"models": shown}


def listed(models: Iterable[str]) -> Json:
    """The answer of /v1/models."""
    created = int(MODIFIED_AT.timestamp())
    cards = [{"id": name, "object": "model", "created": created, "owned_by": "library"} for name in models]
    return {"object": "list", "data": cards}


def _card(name: str) -> Json:
    family = name.partition(":")[0].rstrip("0123456789.") or "llama"
    return {
        "name": name,
        "model": name,
        "size": _size(name),
        "digest": sha256(name.encode()).hexdigest(),
        "details": {
            "parent_model": "",
            "format": "gguf",
            "family": family,
            "families": [family],
            "parameter_size": "8.2B" if "8b" in name else "3.2B",
            "quantization_level": "Q4_K_M",
        },
    }


def _size(name: str) -> int:
    return BYTES_OF_SIZE * (9 if "8b" in name else 4)
