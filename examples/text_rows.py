"""Make rows of equal length from a folder of text, piece by piece: the text may be larger than the memory.

A token is a byte. A text is cut into pieces, the pieces come in an order that the seed and the epoch say, and a few of
them at a time are read, packed into rows and mixed. So a stream can begin at any row, and reads hardly more than it.
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from examples.cluster import ClusterError

START, END, FIRST = 1, 2, 3  # 0 is padding; byte b is id b + FIRST
VOCAB = 256 + FIRST
KINDS = ["*.txt", "*.md", "*.rst", "*.tex", "*.html", "*.py", "*.js", "*.c", "*.h", "*.java", "*.go", "*.rs", "*.json"]
PIECE, GROUP = 2**18, 2**22  # bytes that are read together; bytes that are packed and mixed together
OPEN_ROWS = 16


class Document(NamedTuple):
    """A file, or the bytes from `first` to before `last` of one."""

    path: Path
    first: int
    last: int


def find_documents(folder, kinds=KINDS, without=None):
    """Return all texts in a folder and the folders inside it, but for hidden ones, in the order of their names."""
    folder, without = Path(folder), without and Path(without).resolve()
    if not folder.is_dir():
        raise ClusterError("The text lies in a folder.", "a folder that is there", f"--text {folder}")
    found = []
    for where, folders, names in os.walk(folder):
        at = Path(where)
        folders[:] = [name for name in folders if not name.startswith(".") and (at / name).resolve() != without]
        wanted = {name for kind in kinds for name in fnmatch.filter(names, kind) if not name.startswith(".")}
        sizes = {at / name: (at / name).stat().st_size for name in wanted if (at / name).is_file()}
        found += [Document(path, 0, size) for path, size in sizes.items() if size]
    if not found:
        law = "There must be text to train on."
        raise ClusterError(law, f"files like {' '.join(kinds)} that are not empty", f"none in {folder}")
    return sorted(found)


def hold_out(documents, folder, share):
    """Return the documents to train on, and those to measure with: chosen by name, so that a file stays on its side.

    Where that would leave a side empty, the last part of the longest file is held out.
    """
    held = [d for d in documents if chance(d.path.relative_to(folder).as_posix()) < share]
    if held and len(held) < len(documents):
        return sorted(set(documents) - set(held)), held
    longest = max(documents, key=size_of)
    cut = longest.last - max(1, round(size_of(longest) * share))
    kept = [d._replace(last=cut) if d == longest else d for d in documents]
    return [d for d in kept if size_of(d)], [longest._replace(first=cut)]


def chance(name):
    """Return a number in [0, 1) that depends on nothing but a name."""
    return int.from_bytes(hashlib.sha256(name.encode(errors="surrogateescape")).digest()[:6], "big") / 2**48


def size_of(document):
    return document.last - document.first


def fingerprint(documents, folder):
    """Say in a line how much text there is, and which: a run goes on with the text that it began with."""
    listing = "\n".join(f"{os.fsencode(d.path.relative_to(folder))} {size_of(d)}" for d in documents)
    mark = hashlib.sha256(listing.encode()).hexdigest()[:8]
    return f"{len(documents):,} files, {sum(map(size_of, documents)):,} bytes, names and sizes {mark}"


class Rows:
    """All rows of some documents, epoch after epoch.

    A row has `context` + 1 ids, because the model sees all but the last and says all but the first. So a cut through a
    document repeats one id, and each byte is said exactly once in an epoch.
    """

    def __init__(self, documents, context, seed=0):
        self.documents, self.context, self.seed = documents, context, seed
        self.piece = max(1, PIECE // context) * context  # so that a piece from the middle fills its rows
        sizes = np.array([size_of(d) for d in documents])
        counts = -(-sizes // self.piece)
        self.document = np.repeat(np.arange(len(documents)), counts)
        self.number = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        self.sizes = np.minimum(sizes[self.document] - self.number * self.piece, self.piece)

    def stream(self, epoch=0, group=0, row=0):
        """Yield ids, the document that each belongs to, and where the next row stands, without end."""
        while True:
            groups = self.groups(epoch)
            while group < len(groups):
                ids, segments = self.read(groups[group], [self.seed, epoch, group])
                while row < len(ids):
                    row += 1
                    yield ids[row - 1], segments[row - 1], (epoch, group, row)
                group, row = group + 1, 0
            epoch, group = epoch + 1, 0

    def groups(self, epoch):
        """Return the pieces in the order of an epoch, so many together as are packed and mixed at once."""
        order = np.random.default_rng([self.seed, epoch]).permutation(len(self.sizes))
        before = np.cumsum(self.sizes[order]) - self.sizes[order]
        return np.split(order, np.flatnonzero(np.diff(before // GROUP)) + 1)

    def read(self, pieces, seed):
        """Return the rows of some pieces, mixed, and the documents' numbers in them: `(rows, context + 1)` each."""
        rows, short = [], []
        for piece in pieces:
            for cut in self.cuts(self.tokens(piece)):
                if len(cut) == self.context + 1:
                    rows.append([cut])
                else:
                    short.append(cut)
        rows += pack(short, self.context + 1)
        ids = np.zeros((len(rows), self.context + 1), np.int32)
        segments = np.zeros_like(ids)
        for row, cuts in enumerate(rows):
            place = 0
            for number, cut in enumerate(cuts, start=1):
                ids[row, place : place + len(cut)] = cut
                segments[row, place : place + len(cut)] = number
                place += len(cut)
        order = np.random.default_rng(seed).permutation(len(rows))
        return ids[order], segments[order]

    def tokens(self, piece):
        """Read a piece, and the byte before it, which the first byte follows."""
        document = self.documents[self.document[piece]]
        begin = document.first + self.number[piece] * self.piece
        end = begin + self.sizes[piece]
        inside = bool(begin > document.first)
        with document.path.open("rb") as file:
            file.seek(begin - inside)
            ids = np.frombuffer(file.read(end - begin + inside), np.uint8).astype(np.int32) + FIRST
        return np.concatenate([[START][inside:], ids, [END] if end == document.last else []]).astype(np.int32)

    def cuts(self, tokens):
        """Cut tokens into rows; each cut begins with the last token of the one before."""
        return [tokens[i : i + self.context + 1] for i in range(0, max(1, len(tokens) - 1), self.context)]


def pack(cuts, length):
    """Put short texts into rows: each into the first open row with room, and if there is none the fullest is closed."""
    closed, rows, sizes = [], [], []
    for cut in cuts:
        place = next((i for i, size in enumerate(sizes) if size + len(cut) <= length), None)
        if place is None and len(rows) == OPEN_ROWS:
            place = sizes.index(max(sizes))
            closed.append(rows[place])
            rows[place], sizes[place] = [], 0
        if place is None:
            place = len(rows)
            rows.append([])
            sizes.append(0)
        rows[place].append(cut)
        sizes[place] += len(cut)
    return closed + rows


def encode(text):
    """Turn a text into the ids of its bytes, after the start."""
    return [START, *(byte + FIRST for byte in text.encode())]


def decode(ids):
    """Turn ids into a text; what is no byte is left out."""
    return bytes(int(i) - FIRST for i in ids if i >= FIRST).decode(errors="replace")
