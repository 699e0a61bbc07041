"""What an import could not take over."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Literal

Effect = Literal["left out", "approximated"]


@dataclasses.dataclass(frozen=True)
class ImportItem:
    """Something of a model that the scene does not have, or has in another way."""

    element: str
    """What it is in the model: ``geom``, ``joint``, ``actuator``, ``option``."""
    name: str
    """Its name in the model; ``geom 3`` where it has none."""
    effect: Effect
    """``left out``: nothing of it is in the scene; ``approximated``: something else stands for it."""
    reason: str
    """One line."""

    def __str__(self) -> str:
        return f"{self.element} '{self.name}' {self.effect}: {self.reason}"


@dataclasses.dataclass(frozen=True)
class ImportReport:
    """All that an import left out or approximated, in the model's order. It is a sequence of `ImportItem`, and false if everything was taken over."""

    items: tuple[ImportItem, ...] = ()
    """The findings."""

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[ImportItem]:
        return iter(self.items)

    def __getitem__(self, index: int) -> ImportItem:
        return self.items[index]

    def about(self, element: str, name: str | None = None) -> list[ImportItem]:
        """The items of an element (``joint``), of that name only if one is given."""
        return [item for item in self.items if item.element == element and name in (None, item.name)]

    def __str__(self) -> str:
        """A line for each item."""
        return "\n".join(str(item) for item in self.items)


class Findings:
    """Items as they are found."""

    def __init__(self) -> None:
        self._items: list[ImportItem] = []

    def left_out(self, element: str, name: str, reason: str) -> None:
        self._add(ImportItem(element, name, "left out", reason))

    def approximated(self, element: str, name: str, reason: str) -> None:
        self._add(ImportItem(element, name, "approximated", reason))

    def _add(self, item: ImportItem) -> None:
        if item not in self._items:
            self._items.append(item)

    def report(self) -> ImportReport:
        return ImportReport(tuple(self._items))
