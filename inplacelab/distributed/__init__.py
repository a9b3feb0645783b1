"""Several ranks: processes that run the same program, each on its part of the data, and talk to each other through MPI.

The names are Paddle's. It needs mpi4py and MPI, which the extra `mpi` installs, and a program that several ranks run:

```console
mpiexec -n 4 python program.py
```

`environment` finds the ranks, and leaves MPI at the end. In `world` they meet: before a collective, every rank announces what it is about to
do, so all ranks find a mistake before anything is written. `world` also moves the elements, and `collectives` makes operations of that: in
place, with versions and derivatives. `DataParallel` and `SyncBatchNorm` are made of collectives; `check_replicas` says where replicas have
drifted apart, from the recordings of their ranks. `on_ranks` runs a program of a notebook on several ranks.
"""

from __future__ import annotations

from inplacelab.distributed.collectives import all_gather, all_reduce, barrier, broadcast, reduce_scatter
from inplacelab.distributed.environment import (
    get_rank,
    get_world_size,
    init_parallel_env,
    is_available,
    is_initialized,
    set_timeout,
)
from inplacelab.distributed.replicas import DataParallel, check_replicas
from inplacelab.distributed.sync_batch_norm import SyncBatchNorm
from inplacelab.distributed.world import ReduceOp

__all__ = [
    "DataParallel",
    "ReduceOp",
    "SyncBatchNorm",
    "all_gather",
    "all_reduce",
    "barrier",
    "broadcast",
    "check_replicas",
    "get_rank",
    "get_world_size",
    "init_parallel_env",
    "is_available",
    "is_initialized",
    "reduce_scatter",
    "set_timeout",
]
