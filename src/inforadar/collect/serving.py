"""The source that serves one query: some sources make one for each, with its own list, paging or address."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from inforadar.collect.governor import Governor
from inforadar.domain.ports import AsksManyServers, Gate, ServesQueries, Source


def serve(
    source: Source, governor: Governor, params: Mapping[str, Any], memory: Mapping[str, Any]
) -> tuple[Source, Governor]:
    """The source as it serves a query, and who asks it: at the query's own address and gate where it has them."""
    if server_of(source, params):
        governor = replace(governor, gate=gate_of(source, governor, params))
    if not isinstance(source, ServesQueries):
        return source, governor
    serving = source.serving(params, memory)
    base_url = getattr(serving, "base_url", None)
    return serving, replace(governor, base_url=base_url) if base_url else governor


def gate_of(source: Source, governor: Governor, params: Mapping[str, Any]) -> Gate:
    """The gate before what a query asks: a server that fails or wants to be left alone holds up no other one."""
    server = server_of(source, params)
    return governor.gate_of_server(server) if server and governor.gate_of_server else governor.gate


def server_of(source: Source, params: Mapping[str, Any]) -> str | None:
    """The server a query asks, for a source that asks many."""
    return source.server(params) if isinstance(source, AsksManyServers) else None


def gate_name(source: Source, params: Mapping[str, Any]) -> str:
    """The name of the gate before what a query asks."""
    server = server_of(source, params)
    return name_at(source.name, server) if server else source.name


def name_at(source: str, server: str) -> str:
    """The name of the gate before one of the many servers of a source."""
    return f"{source}@{server}"
