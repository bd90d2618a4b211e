"""The deny list: which addresses are outside the public internet."""

import pytest

from inforadar.net.addresses import closed_kind, is_literal

CLOSED = [
    ("0.0.0.0", "unspecified"),
    ("0.1.2.3", "unspecified"),
    ("10.1.2.3", "private"),
    ("100.64.0.1", "carrier-grade NAT"),
    ("100.127.255.255", "carrier-grade NAT"),
    ("127.0.0.1", "loopback"),
    ("127.255.255.254", "loopback"),
    ("169.254.169.254", "link-local"),
    ("172.16.0.1", "private"),
    ("172.31.255.255", "private"),
    ("192.0.0.192", "reserved"),
    ("192.0.2.1", "documentation"),
    ("192.88.99.1", "reserved"),
    ("192.168.1.1", "private"),
    ("198.18.0.1", "benchmarking"),
    ("198.51.100.7", "documentation"),
    ("203.0.113.9", "documentation"),
    ("224.0.0.1", "multicast"),
    ("240.0.0.1", "reserved"),
    ("255.255.255.255", "reserved"),
    ("::", "unspecified"),
    ("::1", "loopback"),
    ("::7f00:1", "IPv4-compatible"),
    ("::8.8.8.8", "IPv4-compatible"),
    ("::ffff:127.0.0.1", "loopback"),
    ("::ffff:169.254.169.254", "link-local"),
    ("::ffff:0:127.0.0.1", "reserved"),
    ("64:ff9b::a9fe:a9fe", "link-local"),
    ("64:ff9b::7f00:1", "loopback"),
    ("64:ff9b:1::a9fe:a9fe", "local NAT64"),
    ("64:ff9b:1:a9fe:a9:fe00::", "local NAT64"),
    ("2002:7f00:1::", "loopback"),
    ("2002:a9fe:a9fe::1", "link-local"),
    ("2001:0:4136:e378:8000:63bf:80ff:fffe", "Teredo"),
    ("2001:2::1", "reserved"),
    ("2001:db8::1", "documentation"),
    ("3fff::1", "documentation"),
    ("100::1", "reserved"),
    ("4000::1", "reserved"),
    ("fc00::1", "private"),
    ("fd00:ec2::254", "private"),
    ("fe80::1", "link-local"),
    ("fe80::1%eth0", "link-local"),
    ("fec0::1", "site-local"),
    ("ff02::1", "multicast"),
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.169.0.0",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001::1",
    "2001:4860:4860::8888",
    "2002:808:808::1",
    "64:ff9b::808:808",
    "::ffff:8.8.8.8",
]


@pytest.mark.parametrize(("address", "kind"), CLOSED)
def test_an_address_outside_the_public_internet_is_closed_and_named(address: str, kind: str) -> None:
    assert closed_kind(address) == kind


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_open(address: str) -> None:
    assert closed_kind(address) is None


@pytest.mark.parametrize("host", ["127.1", "0x7f000001", "2130706433", "0", "example.org", "017700000001", ""])
def test_only_the_canonical_spelling_of_an_address_is_taken_literally(host: str) -> None:
    assert not is_literal(host)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "2606:4700::1"])
def test_a_canonical_address_needs_no_name_service(host: str) -> None:
    assert is_literal(host)
