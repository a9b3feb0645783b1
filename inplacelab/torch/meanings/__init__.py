"""What PyTorch's functions mean where the engine's functions of the same name, which are Paddle's, mean something else.

The functions here take and return tensors of the engine; the table in `names.py` says under which names programs find them.
"""

from __future__ import annotations

# The lines of the table find each function here by its name.
from inplacelab.torch.grad_nodes import keep as keep
from inplacelab.torch.grad_nodes import named as named
from inplacelab.torch.meanings.layers import *  # noqa: F403
from inplacelab.torch.meanings.operands import *  # noqa: F403
from inplacelab.torch.meanings.reductions import *  # noqa: F403
from inplacelab.torch.meanings.shapes import *  # noqa: F403
from inplacelab.torch.meanings.writes import *  # noqa: F403
