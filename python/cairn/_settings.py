"""Settings by name."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping
from typing import Any, Union

from . import _core
from ._errors import InvalidInput

SettingValue = Union[bool, int, float, str]


@dataclasses.dataclass(frozen=True)
class SettingInfo:
    """One setting of a `World` or of `solve`, as `world_settings` and `solver_settings` list them."""

    name: str
    """The keyword argument."""
    default: SettingValue
    """Its value where nothing is said; its type is the setting's."""
    unit: str
    """Empty: none."""
    allowed: str
    """What it may be, in words: ``a whole number >= 1``."""
    meaning: str
    """A line of text."""


def world_settings() -> list[SettingInfo]:
    """The settings that `World` takes, in the order of reports."""
    return [SettingInfo(*row) for row in _core.world_settings()]


def solver_settings() -> list[SettingInfo]:
    """The settings that `solve` takes."""
    return [SettingInfo(*row) for row in _core.solver_settings()]


def merged(settings: Mapping[str, Any] | None, more: Mapping[str, Any], known: list[SettingInfo]) -> dict[str, Any]:
    """One dict of both, the second before the first. Names that there are not are refused with those that may have been meant."""
    if settings is not None and not isinstance(settings, Mapping):
        raise InvalidInput("settings", f"must be a dict of settings, is {settings!r}")
    both = {**(settings or {}), **more}
    names = [info.name for info in known]
    for name in both:
        if name not in names:
            near = difflib.get_close_matches(str(name), names, n=2)
            hint = f"; did you mean {', '.join(near)}?" if near else ""
            raise InvalidInput(f"settings.{name}", f"there is no such setting{hint}")
    return both
