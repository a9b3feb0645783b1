"""Reads the program's objects without running its code.

A recorder looks at whatever a name refers to. A property, a `__getattr__`, `__class__`, `__eq__` or `__hash__` of the program must not
run for that: it could have an effect, fail, or never end. So everything is read here through the descriptors of Python's own classes,
as by `inspect.getattr_static`. The one exception is the message of an error, which only `str` can tell (`message_of`).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from types import BuiltinFunctionType, FunctionType, GetSetDescriptorType, MethodType, ModuleType, TracebackType
from typing import Any, TypeVar

from inplacelab.language import Text

T = TypeVar("T")

LONGEST = 10_000
"""So many characters of an error's message are kept."""

_members: Any = type.__dict__["__dict__"].__get__
_module: Any = type.__dict__["__module__"].__get__
_name: Any = type.__dict__["__name__"].__get__
_order: Any = type.__dict__["__mro__"].__get__
_namespace: Any = vars(ModuleType)["__dict__"].__get__
_trace: Any = vars(BaseException)["__traceback__"].__get__

_UNREADABLE = Text(
    "(the message could not be read: its `__str__` fails)", "（无法读取错误信息：它的 `__str__` 执行失败）"
)


def members_of(kind: type) -> Mapping[str, Any]:
    """Returns the attributes of a class itself."""
    found: Mapping[str, Any] = _members(kind)
    return found


def member(kind: type, name: str) -> Any:
    """Returns an attribute of a class or of its bases as it is stored there; None if there is none."""
    return next((found[name] for each in _order(kind) if name in (found := _members(each))), None)


def mro_of(kind: type) -> tuple[type, ...]:
    """Returns a class and its bases, in the order in which attributes are looked up."""
    found: tuple[type, ...] = _order(kind)
    return found


def class_name(kind: type) -> str:
    """Returns the name of a class."""
    return readable(_name(kind))


def attributes_of(value: object) -> dict[Any, Any]:
    """Returns the `__dict__` of an object; empty if it has none, or one that is not a plain dictionary."""
    place = place_of_attributes(type(value))
    found = None if place is None else place.__get__(value)
    return found if type(found) is dict else {}


def place_of_attributes(kind: type) -> Any:
    """Returns the descriptor of a class's `__dict__`; None if its objects have none."""
    for each in _order(kind):
        place = _members(each).get("__dict__")
        if type(place) is GetSetDescriptorType:
            return place
    return None


def package_of(value: Any) -> str:
    """Returns the top-level package of a module, class or function, or of an object's class: "numpy". "" if it has none."""
    return module_name_of(value).partition(".")[0]


def module_name_of(value: Any) -> str:
    """Returns the full name of a module, or of that of a class, a function, or an object's class. "" if it has none."""
    kind = type(value)
    if issubclass(kind, ModuleType):
        module = _namespace(value).get("__name__")
    elif issubclass(kind, FunctionType | BuiltinFunctionType):
        module = value.__module__
    else:
        module = _module(value if issubclass(kind, type) else kind)
    return module if type(module) is str else ""


def function_name(function: Any) -> str:
    """Returns the name of a function: "clip"; "lambda" for one without a name; the name of its class for another object."""
    while type(function) is MethodType:
        function = function.__func__
    is_function = issubclass(type(function), FunctionType | BuiltinFunctionType)
    name = readable(function.__name__) if is_function else class_name(type(function))
    return "lambda" if name == "<lambda>" else name


def names_in(names: Any) -> dict[str, Any]:
    """Returns the names of a namespace as a dictionary, which is the same object if it is one; empty for a mapping that the
    program has written, such as the body of a class may have.
    """
    if type(names) is dict:
        return names
    if issubclass(type(names), dict):
        return dict(dict.items(names))
    return dict(names) if class_name(type(names)) == "FrameLocalsProxy" else {}  # since Python 3.13


def module_of(names: Any) -> str:
    """Returns the `__name__` in the globals of a program, which is the `__module__` of its classes."""
    name = names_in(names).get("__name__")
    return name if type(name) is str else "builtins"


def first_items(names: dict[Any, T], count: int) -> list[tuple[Any, T]]:
    """Returns the first items of a dictionary, which another thread may be changing."""
    try:
        return list(islice(dict.items(names), count))
    except RuntimeError:
        return list(dict.items(names))[:count]


# --- exceptions --------------------------------------------------------------------------------------------------------


def message_of(error: BaseException) -> str:
    """Returns the message of an error; a remark if the program's `__str__` fails."""
    try:
        return readable(str(error))
    except BaseException:  # noqa: BLE001  # whatever it raises; the error itself goes on as it was
        return str(_UNREADABLE)


def traceback_of(error: BaseException) -> TracebackType | None:
    """Returns the traceback of an error, also if its class has a property of that name."""
    found: TracebackType | None = _trace(error)
    return found


def readable(text: str) -> str:
    """Returns a text that can be stored: a plain string, not too long, without lone surrogates."""
    plain = str.__str__(text)
    shown = plain if len(plain) <= LONGEST else plain[:LONGEST] + "…"
    return shown.encode("utf-8", "backslashreplace").decode("utf-8")
