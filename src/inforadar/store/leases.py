"""The table `leases`: a claim with an end time and a fencing token, by the database's own time.

free or expired -> held (acquire) -> held (renew, guard) -> free (release, or time). A lease whose holder is known
to be dead is taken over before its time. Each taking gives the next token. A write that needs the lease calls
`guard` in its own transaction: the row stays locked until the commit, so nobody can take the lease in between,
and a process that lost it learns that before it writes.
Invariant: tokens of committed guarded writes never decrease.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from inforadar.domain.errors import LeaseLost
from inforadar.store.database import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A lease that is ours as long as we renew it in time."""

    name: str
    holder: str
    token: int
    ttl_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The lease is somebody else's."""

    name: str
    holder: str
    expires_at: datetime


def acquire(tx: Tx, name: str, holder: str, ttl_s: float, is_dead: Callable[[str], bool]) -> Lease | Held:
    """Take a lease that is free, expired or held by somebody `is_dead` knows to be dead."""
    stored = tx.row("lease_get", name=name)
    dead_token = stored["token"] if stored and is_dead(stored["holder"]) else 0
    now = tx.store_now()
    taken = tx.row(
        "lease_take",
        name=name,
        holder=holder,
        now=now,
        expires_at=now + timedelta(seconds=ttl_s),
        dead_token=dead_token,
    )
    if taken:
        return Lease(name=name, holder=holder, token=taken["token"], ttl_s=ttl_s)
    (current,) = tx.rows("lease_get", name=name)
    return Held(name=name, holder=current["holder"], expires_at=current["expires_at"])


def renew(tx: Tx, lease: Lease, ttl_s: float) -> None:
    """Prolong a lease from now on; raises LeaseLost if it is ours no more."""
    now = tx.store_now()
    renewed = tx.run(
        "lease_renew",
        name=lease.name,
        holder=lease.holder,
        token=lease.token,
        now=now,
        expires_at=now + timedelta(seconds=ttl_s),
    )
    if not renewed:
        raise LeaseLost(f"Another process has taken over the lease {lease.name!r}; this one stops and writes nothing.")


def guard(tx: Tx, lease: Lease) -> None:
    """Let this transaction write only if the lease is ours until its commit; renews it; raises LeaseLost if not."""
    renew(tx, lease, lease.ttl_s)


def release(tx: Tx, lease: Lease) -> None:
    """Give the lease back; nothing happens if it is ours no more."""
    tx.run("lease_release", name=lease.name, holder=lease.holder, token=lease.token, now=tx.store_now())


def held(tx: Tx) -> dict[str, Held]:
    """Every lease somebody holds now, by name."""
    return {row["name"]: Held(**row) for row in tx.rows("lease_held", now=tx.store_now())}
