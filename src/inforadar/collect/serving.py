"""The source that serves one query: some sources make one for each, with its own list, paging or address."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from inforadar.collect.governor import Governor
from inforadar.domain.ports import ServesQueries, Source


def serve(
    source: Source, governor: Governor, params: Mapping[str, Any], memory: Mapping[str, Any]
) -> tuple[Source, Governor]:
    """The source as it serves a query, and who asks it: at the query's own address where it has one."""
    if not isinstance(source, ServesQueries):
        return source, governor
    serving = source.serving(params, memory)
    base_url = getattr(serving, "base_url", None)
    return serving, replace(governor, base_url=base_url) if base_url else governor
