"""Bodies off the wire: decoded piece by piece, so that a decompression bomb is stopped at the cap."""

import zlib
from collections.abc import Callable, Iterable, Iterator

from inforadar.domain.errors import Unavailable, Unreadable

ACCEPT_ENCODING = "gzip, deflate"
PIECE_BYTES = 64 * 1024
_GZIP_WBITS = 31
_ZLIB_WBITS = 15
_RAW_DEFLATE_WBITS = -15

_Decoder = Callable[[Iterable[bytes]], Iterator[bytes]]


def read_body(chunks: Iterable[bytes], encoding: str, max_bytes: int) -> bytes:
    """The decoded body; raises Unreadable if it is too large or in an unknown coding, Unavailable if cut."""
    decode = _DECODERS.get(encoding.strip().lower())
    if decode is None:
        raise Unreadable("the body is in a content coding we did not ask for")
    try:
        return b"".join(_capped(decode(chunks), max_bytes))
    except zlib.error as error:
        raise Unreadable("the compressed body is damaged") from error


def _capped(pieces: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > max_bytes:
            raise Unreadable(f"the body is larger than {max_bytes} bytes when decoded")
        yield piece


def _identity(chunks: Iterable[bytes]) -> Iterator[bytes]:
    yield from chunks


def _gunzip(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Every member of a gzip stream; zero bytes after the last one are padding."""
    member = None
    for chunk in chunks:
        rest = chunk
        while rest := _without_padding(member, rest):
            if member is None or member.eof:
                member = zlib.decompressobj(_GZIP_WBITS)
            yield from _inflate(member, rest)
            rest = member.unused_data
    _refuse_cut(member)


def _without_padding(member: "zlib._Decompress | None", rest: bytes) -> bytes:
    return rest.lstrip(b"\0") if member is not None and member.eof else rest


def _undeflate(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """A zlib stream, or the bare deflate stream that some servers send under the same name."""
    stream, head = None, b""
    for chunk in chunks:
        if stream is None:
            head += chunk
            if len(head) < 2:
                continue
            stream, chunk = zlib.decompressobj(_deflate_wbits(head)), head
        yield from _inflate(stream, chunk)
    if stream is None and head:
        raise Unavailable("cut body: the compressed answer ended too early")
    _refuse_cut(stream)


def _deflate_wbits(head: bytes) -> int:
    is_zlib = head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0
    return _ZLIB_WBITS if is_zlib else _RAW_DEFLATE_WBITS


def _inflate(stream: "zlib._Decompress", rest: bytes) -> Iterator[bytes]:
    # After a full piece zlib may hold more output even when no input is left: only a short one ends the loop.
    while True:
        piece = stream.decompress(rest, PIECE_BYTES)
        yield piece
        if len(piece) < PIECE_BYTES:
            return
        rest = stream.unconsumed_tail


def _refuse_cut(stream: "zlib._Decompress | None") -> None:
    if stream is not None and not stream.eof:
        raise Unavailable("cut body: the compressed answer ended too early")


_DECODERS: dict[str, _Decoder] = {
    "": _identity,
    "identity": _identity,
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _undeflate,
}
