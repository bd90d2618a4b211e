"""Details of items, each asked of its own source, at that source's pace."""

from collections.abc import Mapping
from dataclasses import dataclass

from inforadar.collect.governor import Governor
from inforadar.domain.errors import NoVerdict
from inforadar.domain.ports import Detail, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDetails:
    """Knows every source and who may ask it."""

    sources: Mapping[str, Source]
    governors: Mapping[str, Governor]

    def detail(self, source: str, key: str, url: str) -> Detail:
        """What the source's own page of an item says; raises SourceError, or Stopped."""
        if source not in self.sources:
            raise NoVerdict(f"there is no source {source} any more")
        if not getattr(self.sources[source], "has_details", True):
            return Detail(availability="alive")  # what its list shows is all there is, and all there will be
        return self.governors[source].detail(self.sources[source], key, url)
