"""GraphML, read by a small parser of its own: streaming, and deaf to DTDs and entities."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np

from gigamae.errors import InputError
from gigamae.graph.nodetables import LABEL_NAMES
from gigamae.graph.parts import Edges, Ids, NodeTable, Parts

NUMERIC = frozenset(("int", "long", "float", "double", "boolean", "bool"))


@dataclass
class _Key:
    """A <key>: an attribute that nodes or edges can have."""

    name: str
    domain: str
    kind: str
    default: str | None = None


@dataclass
class _Reader:
    """What is collected while the file streams by; one method per event."""

    path: Path
    keys: dict[str, _Key] = field(default_factory=dict)
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    node_lines: list[int] = field(default_factory=list)
    ends: list[tuple[str, str]] = field(default_factory=list)
    edge_data: list[dict[str, str]] = field(default_factory=list)
    edge_lines: list[int] = field(default_factory=list)
    directed: bool = False
    is_graphml: bool = False
    _current: dict[str, str] | None = None
    _key: str | None = None
    _text: list[str] | None = None

    def __post_init__(self) -> None:
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.parser.EntityDeclHandler = self._refuse_doctype

    def read(self) -> None:
        try:
            with gzip.open(self.path) if self.path.suffix == ".gz" else self.path.open("rb") as file:
                self.parser.ParseFile(file)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{self.path} cannot be read: {error}. Copy it again.") from error
        except expat.ExpatError as error:
            raise InputError(
                f"{self.path} is no well-formed XML: {error}. Export it again."
            ) from error
        if not self.is_graphml:
            raise InputError(f"{self.path} is XML but not GraphML (no <graphml> at the top).")

    def _fail(self, message: str) -> InputError:
        return InputError(f"{self.path}, line {self.parser.CurrentLineNumber}: {message}")

    def _refuse_doctype(self, *_: Any) -> None:
        raise self._fail(
            "DTDs and entities are refused, since they can read files or fill the memory. "
            "Remove the <!DOCTYPE ...> and export without it."
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rsplit(" ", 1)[-1]
        if tag == "graphml":
            self.is_graphml = True
        elif tag == "key":
            self._key = self._attribute(attributes, "id", tag)
            self.keys[self._key] = _Key(
                attributes.get("attr.name", self._key),
                attributes.get("for", "all"),
                attributes.get("attr.type", "string"),
            )
        elif tag == "graph":
            self.directed |= attributes.get("edgedefault") == "directed"
        elif tag == "node":
            name = self._attribute(attributes, "id", tag)
            if name in self.nodes:
                raise self._fail(f"node {name!r} is there twice.")
            self._current = self.nodes[name] = {}
            self.node_lines.append(self.parser.CurrentLineNumber)
        elif tag == "edge":
            ends = [self._attribute(attributes, end, tag) for end in ("source", "target")]
            self.directed |= attributes.get("directed") == "true"
            self._current = {}
            self.ends.append((ends[0], ends[1]))
            self.edge_data.append(self._current)
            self.edge_lines.append(self.parser.CurrentLineNumber)
        elif tag == "hyperedge":
            raise self._fail("hyperedges are not supported; split them into edges.")
        elif tag in ("data", "default"):
            self._key = self._attribute(attributes, "key", tag) if tag == "data" else self._key
            self._text = []

    def _attribute(self, attributes: dict[str, str], name: str, tag: str) -> str:
        if name not in attributes:
            raise self._fail(f"<{tag}> has no {name}.")
        return attributes[name]

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _end(self, tag: str) -> None:
        tag = tag.rsplit(" ", 1)[-1]
        if tag == "data" and self._current is not None and self._text is not None:
            self._current[str(self._key)] = "".join(self._text).strip()
        elif tag == "default" and self._text is not None:
            self.keys[str(self._key)].default = "".join(self._text).strip()
        elif tag in ("node", "edge"):
            self._current = None
        if tag in ("data", "default"):
            self._text = None

    def column(self, key: str, rows: list[dict[str, str]]) -> list[str | None]:
        """An attribute of every node or edge, with its default."""
        default = self.keys[key].default
        return [row.get(key, default) for row in rows]

    def numbers(self, key: str, rows: list[dict[str, str]], lines: list[int]) -> np.ndarray:
        """The same as real numbers."""
        values = np.empty(len(rows))
        for i, cell in enumerate(self.column(key, rows)):
            plain = {"true": "1", "false": "0"}.get(str(cell).lower(), str(cell))
            try:
                values[i] = float(plain)
            except ValueError:
                found = "is missing" if cell is None else f"is {cell!r}"
                raise InputError(
                    f"{self.path}, line {lines[i]}: {self.keys[key].name!r} {found} where a "
                    "number is needed. Fill it in, or give the <key> a <default>."
                ) from None
        return values

    def of(self, domain: str) -> list[str]:
        """The keys of nodes or of edges."""
        return [k for k, v in self.keys.items() if v.domain in (domain, "all")]


def parts_from_graphml(
    path: Path, label: str | int | None, weight: str | int | bool | None, directed: bool | None
) -> Parts:
    """Edges (with the attribute ``weight``), numeric node attributes as features, and labels.

    Labels are the node attribute named by ``label``, else one that is usually called so. Node
    attributes of text are left out, which the notes tell.

    Raises:
        InputError: no well-formed GraphML, a DTD or entity, a number missing.
    """
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty (0 bytes); write it again.")
    reader = _Reader(path)
    reader.read()
    names = np.array(list(reader.nodes), dtype=object)
    place = {name: i for i, name in enumerate(names)}
    for ends, line in zip(reader.ends, reader.edge_lines, strict=True):
        for end in ends:
            if end not in place:
                raise InputError(f"{path}, line {line}: the edge names {end!r}, which is no node.")
    edges = Edges(
        source=np.array([place[s] for s, _ in reader.ends], dtype=np.int64),
        target=np.array([place[t] for _, t in reader.ends], dtype=np.int64),
        ids=Ids(names, "text"),
        weights=_weights(reader, weight),
        where=str(path),
        locate=lambda i: f"line {reader.edge_lines[i]}",
        directed=reader.directed if directed is None else directed,
        complete=True,
    )
    return Parts(edges, *_about_nodes(reader, label))


def _weights(reader: _Reader, told: str | int | bool | None) -> np.ndarray | None:
    wanted = told if isinstance(told, str) and told else "weight"
    key = next((k for k in reader.of("edge") if reader.keys[k].name == wanted), None)
    if told is False or told == "" or (key is None and wanted == "weight"):
        return None
    if key is None:
        raise InputError(f"{reader.path}: edges have no attribute {wanted!r}.")
    weights = reader.numbers(key, reader.edge_data, reader.edge_lines)
    if len(weights) and not (weights >= 0).all():
        at = int(np.argmax(~(weights >= 0)))
        raise InputError(
            f"{reader.path}, line {reader.edge_lines[at]}: weight {weights[at]:g} is negative or "
            "NaN; weights must be finite and not negative."
        )
    return weights


def _about_nodes(
    reader: _Reader, label: str | int | None
) -> tuple[NodeTable | None, NodeTable | None, None, list[str]]:
    rows, lines = list(reader.nodes.values()), reader.node_lines
    named = {reader.keys[k].name: k for k in reader.of("node")}
    if label is not None and label not in named:
        raise InputError(
            f"{reader.path}: nodes have no attribute {label!r} (the label column); they have: "
            f"{', '.join(named) or 'none'}."
        )
    usual = next((n for n in named if n.lower() in LABEL_NAMES), None)
    label_name = str(label) if label is not None else usual
    used = [n for n in named if n != label_name and reader.keys[named[n]].kind in NUMERIC]
    unused = [n for n in named if n != label_name and n not in used]
    notes = []
    if unused:
        notes.append(f"Node attributes of text were left out: {', '.join(unused[:8])}.")
    where, count = str(reader.path), len(rows)
    features = labels = None
    if used:
        x = np.stack([reader.numbers(named[n], rows, lines) for n in used], axis=1)
        features = NodeTable(
            where, count, x=x, names=tuple(used), locate=lambda i: f"line {lines[i]}"
        )
    if label_name is not None:
        values = np.array(reader.column(named[label_name], rows), dtype=object)
        labels = NodeTable(where, count, labels=values)
    return features, labels, None, notes
