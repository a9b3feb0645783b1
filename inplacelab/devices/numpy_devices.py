"""The devices on which NumPy computes: the CPU, and a simulated GPU for machines without one.

The simulated GPU has a separate memory ledger and is labeled everywhere. So programs that measure device memory or collect launches
run on any machine: NumPy computes, and the launches are those of a real GPU. It gives no information about speed.
"""

from __future__ import annotations

from inplacelab.devices.base import Device

CPU = Device("cpu", "cpu", "cpu")
SIMULATED_GPU = Device("gpu:0", "gpu", "gpu:0 simulated", simulated=True, launches=True)
