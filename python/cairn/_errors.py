"""The exceptions that leave the package. Each is raised before anything has changed."""


class Error(Exception):
    """Base of all exceptions of this package."""


class InvalidInput(Error, ValueError):
    """A mistake of the caller's. The message names the place, the value and what is allowed.

    `place` is the argument or field, or a file with its JSON pointer (``body 3/shapes/0/radius``), `reason` what is wrong with it (``must be a finite
    number > 0, is -1``).
    """

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(place, reason)
        self.place: str = place
        self.reason: str = reason

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


class DeviceError(Error, RuntimeError):
    """The device failed, or there is none: names the last launch and the runtime's message."""


class CapacityError(Error, MemoryError):
    """Memory for a step or a scene could not be had; the state is what it was before. `needed_bytes` and `available_bytes` say how much."""

    def __init__(self, message: str, needed_bytes: int, available_bytes: int) -> None:
        super().__init__(message, needed_bytes, available_bytes)
        self.needed_bytes: int = needed_bytes
        self.available_bytes: int = available_bytes

    def __str__(self) -> str:
        return str(self.args[0])


class StepUndone(Error, ArithmeticError):
    """A step led to a state that no further step can go on from. It was undone: the state is what it was before it. `step` is its number, counted from
    the World's first, `environment` where it happened: -1 in a World of one scene by itself."""

    def __init__(self, message: str, step: int, *more: object) -> None:
        super().__init__(message, step, *more)
        self.step: int = step
        self.environment: int = more[-1] if more and isinstance(more[-1], int) else -1

    def __str__(self) -> str:
        return str(self.args[0])


class NonFiniteState(StepUndone):
    """A body's pose or velocity became infinite or NaN. `body` is its name."""

    def __init__(self, message: str, step: int, body: str, environment: int = -1) -> None:
        super().__init__(message, step, body, environment)
        self.body: str = body


class TornJoint(StepUndone):
    """A joint of bodies that turn too far in a substep came apart. More substeps or a shorter step follow faster turns. `joint` is its name."""

    def __init__(self, message: str, step: int, joint: str, environment: int = -1) -> None:
        super().__init__(message, step, joint, environment)
        self.joint: str = joint


class StepRefused(Error):
    """A step of `World.enqueue_step` did not fit into the room that earlier steps had left, or met what such a step cannot do. It and all behind it have
    changed nothing; `World.step` takes it whatever it needs. `needed` and `available`: items, both 0 where it is not about room."""

    def __init__(self, message: str, needed: int, available: int) -> None:
        super().__init__(message, needed, available)
        self.needed: int = needed
        self.available: int = available

    def __str__(self) -> str:
        return str(self.args[0])


class ClosedWorld(Error):
    """A World that was closed is asked for something."""


for _error in (Error, InvalidInput, DeviceError, CapacityError, StepUndone, NonFiniteState, TornJoint, StepRefused, ClosedWorld):
    _error.__module__ = "cairn"  # tracebacks call them by the name that users catch them by
