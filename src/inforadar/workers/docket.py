"""The docket: which finished jobs are settled together in one transaction.

All that is finished, as a rule. When a transaction came to nothing after effects had begun, one of its jobs may be
the cause: they are split in two halves, a half that fails is split again, and a job that fails alone goes to the end
of the line. These parts take turns with what was finished since, so that nobody waits behind effects that break the
connection for longer than one transaction of theirs.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from inforadar.workers.crew import Assignment

Batch = Sequence[Assignment]


@dataclass(slots=True)
class Docket:
    """Parts of batches that failed, in the order of their turns."""

    _parts: deque[Batch] = field(default_factory=deque)
    _is_turn_of_parts: bool = False

    def __len__(self) -> int:
        """How many jobs are in doubt."""
        return sum(map(len, self._parts))

    def next(self, finished: Batch) -> Batch:
        """What to settle now of all that is finished."""
        if not self._parts:
            return finished
        in_doubt = {id(one) for part in self._parts for one in part}
        fresh = [one for one in finished if id(one) not in in_doubt]
        return self._parts[0] if self._is_turn_of_parts or not fresh else fresh

    def settled(self, batch: Batch) -> None:
        """A batch went through."""
        self._take(batch)

    def failed(self, batch: Batch) -> None:
        """A batch came to nothing, and it may be its own fault."""
        self._take(batch)
        half = (len(batch) + 1) // 2
        self._parts.extend(part for part in (batch[:half], batch[half:]) if part)

    def _take(self, batch: Batch) -> None:
        """Out of the line, if it was in it; then the others have their turn."""
        is_part = bool(self._parts) and self._parts[0] is batch
        if is_part:
            self._parts.popleft()
        self._is_turn_of_parts = not is_part
