# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_codec.py - numpy arrays as bytes and back, without text: NPY, and CBOR with typed arrays.
"""CBOR is RFC 8949 with the typed arrays of RFC 8746 (tags 64 to 87) and its arrays of several axes (tag 40).

Encoders give lists of buffers: those of large arrays are views of the caller's memory. Decoders give arrays that are views
of the bytes received; a small one that does not begin at a multiple of its element's size is copied to where it does.
"""
from __future__ import annotations

import ast
import struct
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

Buffer = Union[bytes, bytearray, memoryview]
Array = NDArray[np.float64]

COPY_BELOW = 65536  # bytes
TABLE_FROM = 1 << 18  # bytes: less is sent before the service could begin
TABLE_PART = 1 << 20  # bytes of rows of all arrays between two files of one
DEPTH_MAX = 64
INDEFINITE = 31
# RFC 8746, 2.1: tag = 0b010 float signed little-endian size
ELEMENTS = {
    64: "u1", 65: ">u2", 66: ">u4", 67: ">u8", 68: "u1", 69: "<u2", 70: "<u4", 71: "<u8",
    72: "i1", 73: ">i2", 74: ">i4", 75: ">i8", 77: "<i2", 78: "<i4", 79: "<i8",
    80: ">f2", 81: ">f4", 82: ">f8", 84: "<f2", 85: "<f4", 86: "<f8",
}
FLOAT64 = 86
ROW_MAJOR = 40


def as_floats(value: Any) -> Array:
    """The array itself where it is one of contiguous float64, else a copy that is."""
    return np.ascontiguousarray(value, dtype="<f8")


def octets(array: NDArray[Any]) -> memoryview:
    return array.data.cast("B") if array.size else memoryview(b"")


def npy_head(shape: tuple[int, ...], descr: str = "<f8") -> bytes:
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape!r}, }}"
    # magic, version and length are 10 bytes; data begins at a multiple of 64
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode("latin1")


def encode_npy(value: Any) -> list[Buffer]:
    array = np.asarray(value)
    if array.dtype.kind not in "fiu" or array.dtype.itemsize > 8:
        array = array.astype("<f8")
    array = np.ascontiguousarray(array)
    return [npy_head(array.shape, array.dtype.newbyteorder("<").str if array.dtype.byteorder == "=" else array.dtype.str),
            octets(array)]


def encode_table(arrays: Sequence[Array]) -> list[Buffer]:
    """Arrays with as many rows each, as NPY files one after another: some rows of each, then the next ones. The service computes samples
    while later ones are sent; the pieces are the arrays' own memory."""
    n_row = max(1, TABLE_PART // sum(8 * one.shape[1] for one in arrays))
    pieces: list[Buffer] = []
    for at in range(0, len(arrays[0]), n_row):
        for one in arrays:
            part = one[at:at + n_row]
            pieces += [npy_head(part.shape), octets(part)]
    return pieces


def is_large_table(arrays: Sequence[Array], widths: Sequence[int]) -> bool:
    """Whether a table of these is worth its making, and means the same: rows of these widths, and as many of each."""
    return (all(one.ndim == 2 for one in arrays) and [one.shape[1] for one in arrays] == list(widths)
            and len({len(one) for one in arrays}) == 1 and sum(one.nbytes for one in arrays) >= TABLE_FROM)


def decode_npy(data: Buffer) -> NDArray[Any]:
    """One array of an NPY file in memory, as a view of it."""
    view = memoryview(data)
    if bytes(view[:6]) != b"\x93NUMPY":
        raise ValueError("no NPY file")
    wide = view[6] > 1
    start = 12 if wide else 10
    (length,) = struct.unpack("<I" if wide else "<H", view[8:start])
    head = ast.literal_eval(bytes(view[start:start + length]).decode("latin1"))
    flat: NDArray[Any] = np.frombuffer(view, dtype=np.dtype(head["descr"]), offset=start + length)
    out: NDArray[Any] = flat.reshape(head["shape"], order="F" if head["fortran_order"] else "C")
    return out


# -- CBOR -------------------------------------------------------------------------------------------------------

def head(major: int, n: int) -> bytes:
    if n < 24:
        return bytes([major << 5 | n])
    for code, form, limit in ((24, ">BB", 1 << 8), (25, ">BH", 1 << 16), (26, ">BI", 1 << 32)):
        if n < limit:
            return struct.pack(form, major << 5 | code, n)
    return struct.pack(">BQ", major << 5 | 27, n)


def encode_cbor(value: Any) -> list[Buffer]:
    """The pieces of a document; those of arrays of 64 KiB and more are the arrays' own memory."""
    out: list[Buffer] = []
    small = bytearray()

    def flush() -> None:
        nonlocal small
        if small:
            out.append(small)
            small = bytearray()

    def text(item: str) -> None:
        data = item.encode()
        small.extend(head(3, len(data)) + data)

    def array(item: NDArray[Any]) -> None:
        if item.dtype.kind not in "fiub":
            raise TypeError(f"an array of {item.dtype} is no array of numbers")
        numbers = as_floats(item)
        if numbers.ndim > 1:
            small.extend(head(6, ROW_MAJOR) + head(4, 2) + head(4, numbers.ndim))
            for n in numbers.shape:
                small.extend(head(0, n))
        small.extend(head(6, FLOAT64) + head(2, numbers.nbytes))
        if numbers.nbytes < COPY_BELOW:
            small.extend(octets(numbers))
        else:
            flush()
            out.append(octets(numbers))

    def put(item: Any) -> None:
        if item is None or isinstance(item, (bool, np.bool_)):
            small.append(0xf6 if item is None else 0xf5 if item else 0xf4)
        elif isinstance(item, str):
            text(item)
        elif isinstance(item, (int, np.integer)):
            small.extend(head(0, int(item)) if item >= 0 else head(1, -1 - int(item)))
        elif isinstance(item, (float, np.floating)):
            small.extend(struct.pack(">Bd", 0xfb, float(item)))
        elif isinstance(item, Mapping):
            small.extend(head(5, len(item)))
            for key, one in item.items():
                text(str(key))
                put(one)
        elif isinstance(item, np.ndarray) and item.ndim:
            array(item)
        elif isinstance(item, (list, tuple)):
            small.extend(head(4, len(item)))
            for one in item:
                put(one)
        elif hasattr(item, "__array__"):
            found = np.asarray(item)
            put(found if found.ndim else found.item())
        else:
            raise TypeError(f"a {type(item).__name__} cannot be sent: numbers, texts, arrays, lists and dicts can")

    put(value)
    flush()
    return out


class Decoder:
    """Reads one document. Every length is compared with what is there before anything is made of it."""

    def __init__(self, data: Buffer) -> None:
        self.data = memoryview(data)
        self.at = 0

    def take(self, n: int) -> memoryview:
        if n > len(self.data) - self.at:
            raise ValueError("CBOR is cut short")
        self.at += n
        return self.data[self.at - n:self.at]

    def argument(self, info: int) -> int:
        if info < 24:
            return info
        if info > 27:
            raise ValueError("malformed CBOR: a head of no length")
        return int.from_bytes(self.take(1 << (info - 24)), "big")

    def item(self, depth: int = 0) -> Any:
        if depth > DEPTH_MAX:
            raise ValueError("CBOR nested too deep")
        first = self.take(1)[0]
        major, info = first >> 5, first & 31
        if major == 7:
            return self.simple(info)
        if info == INDEFINITE:
            return self.endless(major, depth)
        n = self.argument(info)
        if major == 0:
            return n
        if major == 1:
            return -1 - n
        if major == 2:
            return bytes(self.take(n))
        if major == 3:
            return str(self.take(n), "utf-8")
        if major == 4:
            return [self.item(depth + 1) for _ in range(n)]
        if major == 5:
            return {self.item(depth + 1): self.item(depth + 1) for _ in range(n)}
        return self.tagged(n, depth)

    def endless(self, major: int, depth: int) -> Any:
        """An item of indefinite length: its parts, up to a break."""
        if major not in (2, 3, 4, 5):
            raise ValueError("malformed CBOR: no item of this kind is of indefinite length")
        parts: list[Any] = []
        while bytes(self.data[self.at:self.at + 1]) != b"\xff":
            if major < 4 and self.at < len(self.data) and self.data[self.at] >> 5 != major:
                raise ValueError("malformed CBOR: a text of other parts than texts")
            parts.append((self.item(depth + 1), self.item(depth + 1)) if major == 5 else self.item(depth + 1))
        self.at += 1
        if major == 5:
            return dict(parts)
        if major == 4:
            return parts
        return b"".join(parts) if major == 2 else "".join(parts)

    def simple(self, info: int) -> Any:
        if info in (20, 21, 22):
            return {20: False, 21: True, 22: None}[info]
        forms = {25: (">e", 2), 26: (">f", 4), 27: (">d", 8)}
        if info not in forms:
            raise ValueError(f"CBOR simple value {info}")
        form, n = forms[info]
        return struct.unpack(form, self.take(n))[0]

    def tagged(self, tag: int, depth: int) -> Any:
        if tag in ELEMENTS:
            first = self.take(1)[0]
            if first >> 5 != 2:
                raise ValueError("a typed array without bytes")
            array = np.frombuffer(self.take(self.argument(first & 31)), dtype=ELEMENTS[tag])
            aligned = array.flags.aligned
            return array if aligned or array.nbytes >= COPY_BELOW else array.copy()
        inner = self.item(depth + 1)
        if tag == ROW_MAJOR:
            shape, elements = inner
            return np.asarray(elements).reshape([int(n) for n in shape])
        return inner


def decode_cbor(data: Buffer) -> Any:
    decoder = Decoder(data)
    value = decoder.item()
    if decoder.at != len(decoder.data):
        raise ValueError("bytes after the end of a CBOR document")
    return value
