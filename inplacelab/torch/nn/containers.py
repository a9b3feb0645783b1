"""Containers: `Sequential`, `ModuleList`, `ModuleDict` and `ParameterList`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from inplacelab.torch.nn.module import Module
from inplacelab.torch.tensor import Parameter


class _Numbered(Module):
    """Modules that are found by number."""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._modules.values()))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)._of(list(self)[index])
        return list(self)[index]

    def __setitem__(self, index: int, module: Any) -> None:
        self.add_module(list(self._modules)[index], module)

    @classmethod
    def _of(cls, modules: list[Any]) -> Any:
        raise NotImplementedError

    def append(self, module: Any) -> Self:
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Any]) -> Self:
        """Adds several modules."""
        for module in modules:
            self.append(module)
        return self


class Sequential(_Numbered):
    """Applies modules one after another.

    >>> import inplacelab.torch as torch
    >>> torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(inplace=True))
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU(inplace=True)
    )
    """

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], Mapping):
            for name, module in modules[0].items():
                self.add_module(name, module)
        else:
            self.extend(modules)

    @classmethod
    def _of(cls, modules: list[Any]) -> Any:
        return cls(*modules)

    def forward(self, input: Any) -> Any:  # PyTorch's name
        """Applies the modules in order."""
        for module in self:
            input = module(input)
        return input


class ModuleList(_Numbered):
    """A list of modules."""

    def __init__(self, modules: Iterable[Any] = ()) -> None:
        super().__init__()
        self.extend(modules or ())

    @classmethod
    def _of(cls, modules: list[Any]) -> Any:
        return cls(modules)


class ModuleDict(Module):
    """Modules by name."""

    def __init__(self, modules: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        for name, module in (modules or {}).items():
            self.add_module(name, module)

    def __getitem__(self, name: str) -> Any:
        return self._modules[name]

    def __setitem__(self, name: str, module: Any) -> None:
        self.add_module(name, module)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, name: str) -> bool:
        return name in self._modules

    def keys(self) -> Any:
        """Returns the names."""
        return self._modules.keys()

    def values(self) -> Any:
        """Returns the modules."""
        return self._modules.values()

    def items(self) -> Any:
        """Returns the names and modules."""
        return self._modules.items()


class ParameterList(Module):
    """A list of parameters."""

    def __init__(self, values: Iterable[Any] = ()) -> None:
        super().__init__()
        for each in values:
            self.append(each)

    def append(self, value: Any) -> Self:
        """Adds a parameter at the end."""
        self.register_parameter(str(len(self)), value if isinstance(value, Parameter) else Parameter(value))
        return self

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._parameters.values()))

    def __getitem__(self, index: int) -> Any:
        return list(self)[index]
