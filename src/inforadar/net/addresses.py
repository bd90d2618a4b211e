"""Which addresses belong to the public internet (our own list: `is_global` lets some through), and to which server."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

_V4_KINDS = tuple(
    (IPv4Network(network), kind)
    for network, kind in (
        ("0.0.0.0/8", "unspecified"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier-grade NAT"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "reserved"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
)
_V6_KINDS = tuple(
    (IPv6Network(network), kind)
    for network, kind in (
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("::/96", "IPv4-compatible"),
        ("64:ff9b:1::/48", "local NAT64"),
        ("2001::/32", "Teredo"),
        ("2001::/23", "reserved"),
        ("2001:db8::/32", "documentation"),
        ("3fff::/20", "documentation"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    )
)
_V6_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")


def closed_kind(text: str) -> str | None:
    """Why the address is not part of the public internet ("loopback", "private", ...); None = it is public.

    An IPv6 address that carries an IPv4 one (mapped, 6to4, NAT64) is judged by the address it carries.
    """
    address = ip_address(text)
    if isinstance(address, IPv4Address):
        return _closed_v4(address)
    carried = _carried_v4(address)
    return _closed_v6(address) if carried is None else _closed_v4(carried)


def is_literal(host: str) -> bool:
    """Whether a host is an address in its canonical spelling, so that no name service needs to be asked."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _carried_v4(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def _closed_v4(address: IPv4Address) -> str | None:
    return next((kind for network, kind in _V4_KINDS if address in network), None)


def _closed_v6(address: IPv6Address) -> str | None:
    named = next((kind for network, kind in _V6_KINDS if address in network), None)
    if named is None and address not in _V6_GLOBAL_UNICAST:
        return "reserved"
    return named


def server_of_address(address: str) -> str | None:
    """The host of an address, with its port where one is named; None for one without a host."""
    try:
        parts = urlsplit(address)
        return parts.netloc.rpartition("@")[2].lower() or None
    except ValueError:
        return None
