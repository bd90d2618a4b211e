"""Bodies: every coding we ask for, whole, in pieces, cut, damaged and as a bomb."""

import gzip
import tracemalloc
import zlib
from collections.abc import Iterator

import pytest

from inforadar.domain.errors import Unavailable, Unreadable
from inforadar.net.decoding import PIECE_BYTES, read_body

TEXT = b"".join(b"line %d of the body\n" % number for number in range(20_000))
CAP = 1024 * 1024


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


CODINGS = [
    ("", TEXT),
    ("identity", TEXT),
    ("gzip", gzip.compress(TEXT)),
    (" X-GZIP ", gzip.compress(TEXT)),
    ("gzip", gzip.compress(TEXT[:5000]) + gzip.compress(TEXT[5000:])),
    ("gzip", gzip.compress(TEXT) + b"\0" * 9),
    ("deflate", zlib.compress(TEXT)),
    ("deflate", raw_deflate(TEXT)),
]


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


@pytest.mark.parametrize("size", [1, 7, 4096, CAP])
@pytest.mark.parametrize(("encoding", "wire"), CODINGS)
def test_a_body_is_the_same_however_it_was_packed_and_cut(encoding: str, wire: bytes, size: int) -> None:
    assert read_body(pieces(wire, size), encoding, CAP) == TEXT


@pytest.mark.parametrize("length", [PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES])
def test_no_byte_is_left_inside_the_decompressor(length: int) -> None:
    assert read_body([gzip.compress(b"a" * length)], "gzip", CAP) == b"a" * length


@pytest.mark.parametrize("encoding", ["", "gzip", "deflate"])
def test_no_body_is_an_empty_body(encoding: str) -> None:
    assert read_body([], encoding, CAP) == b""


@pytest.mark.parametrize("kept", [1, 2, 11, 500, -9, -1])
@pytest.mark.parametrize(("encoding", "wire"), [("gzip", gzip.compress(TEXT)), ("deflate", zlib.compress(TEXT))])
def test_a_cut_compressed_body_is_unavailable(encoding: str, wire: bytes, kept: int) -> None:
    with pytest.raises(Unavailable, match="cut body"):
        read_body([wire[:kept]], encoding, CAP)


@pytest.mark.parametrize(
    ("encoding", "wire"),
    [
        ("gzip", b"<html>not packed at all</html>"),
        ("gzip", gzip.compress(TEXT)[:-8] + b"12345678"),
        ("gzip", gzip.compress(TEXT) + b"garbage"),
        ("deflate", b"\xff\xff\xff\xff"),
        ("br", b"anything"),
        ("zstd", b"anything"),
        ("gzip, gzip", gzip.compress(gzip.compress(TEXT))),
    ],
)
def test_a_damaged_body_or_a_coding_we_did_not_ask_for_is_unreadable(encoding: str, wire: bytes) -> None:
    with pytest.raises(Unreadable):
        read_body([wire], encoding, CAP)


@pytest.mark.parametrize("encoding", ["", "gzip", "deflate"])
def test_the_cap_itself_is_still_allowed_and_one_byte_more_is_not(encoding: str) -> None:
    pack = {"": bytes, "gzip": gzip.compress, "deflate": zlib.compress}[encoding]
    assert len(read_body([pack(b"a" * CAP)], encoding, CAP)) == CAP
    with pytest.raises(Unreadable, match="larger than"):
        read_body([pack(b"a" * (CAP + 1))], encoding, CAP)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_bomb_is_stopped_at_the_cap_with_little_memory(encoding: str) -> None:
    bomb = {"gzip": gzip.compress, "deflate": zlib.compress}[encoding](b"\0" * 100_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(Unreadable, match="larger than"):
            read_body([bomb], encoding, CAP)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2 * CAP
