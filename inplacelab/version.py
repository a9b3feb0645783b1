"""The version of this package, and that of the PaddlePaddle whose names and rules it follows, under the names of Paddle's `version`.

>>> import inplacelab as paddle
>>> paddle.version.full_version, paddle.version.major
('3.3.1', '3')
"""

from __future__ import annotations

from typing import Any

from inplacelab import errors

__version__ = "0.1.0"

paddle = full_version = "3.3.1"
major, minor, patch = paddle.split(".")
rc = "0"

__all__ = ["full_version", "major", "minor", "patch", "rc"]


class Own(str):
    """This package's version, as `inplacelab.__version__`: it is not ordered, since programs that ask whether it is at least "2.4" mean
    Paddle's.

    >>> import inplacelab as paddle
    >>> paddle.__version__ >= "2.4"
    Traceback (most recent call last):
    TypeError: '0.1.0' is the version of inplacelab, which is not compared with '2.4'
      Why: a program that imports inplacelab as `paddle` usually asks for a version of PaddlePaddle. The one that is followed here is 3.3.1.
      Instead: compare `paddle.version.full_version`; for the version of inplacelab itself, `inplacelab.version.__version__`.
    """

    __slots__ = ()

    def _refuse(self, other: Any) -> bool:
        raise errors.own_version_compared(ours=str(self), other=other, paddle=paddle)

    __lt__ = __le__ = __gt__ = __ge__ = _refuse


def __getattr__(name: str) -> Any:
    raise errors.not_there(__name__, name, __all__)
