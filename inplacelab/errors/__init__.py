"""Every refusal: what happened, why, and what to do instead, in both languages.

An error's first line is PaddlePaddle 3.3.1's own (so that a search for it finds the same pages), its exception type is
Paddle's too. Below it stand two sentences of ours. What only a recorder can know (which line kept a value, which line
overwrote it) is added by the recorder as notes and is not part of `str(error)`.

All refusals are raised before anything was written: a refused operation leaves data, shape, dtype, version and history
as they were.

`kinds` has the classes; the other modules have one function for each refusal, which holds its words: a file for calls, for the graph,
for what backward needs, for writes, for shapes, for views, for parts and what is made of them, for operands, for
arithmetic, for rows of the table, for GPUs.
"""

from inplacelab.errors.arithmetic import *
from inplacelab.errors.attributes import *
from inplacelab.errors.check import *
from inplacelab.errors.custom import *
from inplacelab.errors.draws import *
from inplacelab.errors.files import *
from inplacelab.errors.gpu_kernels import *
from inplacelab.errors.gpus import *
from inplacelab.errors.graph import *
from inplacelab.errors.hooks import *
from inplacelab.errors.keywords import *
from inplacelab.errors.kinds import *
from inplacelab.errors.layers import *
from inplacelab.errors.names import *
from inplacelab.errors.needed import *
from inplacelab.errors.operands import *
from inplacelab.errors.parts import *
from inplacelab.errors.positions import *
from inplacelab.errors.products import *
from inplacelab.errors.rows import *
from inplacelab.errors.shapes import *
from inplacelab.errors.storages import *
from inplacelab.errors.training import *
from inplacelab.errors.views import *
from inplacelab.errors.writes import *
