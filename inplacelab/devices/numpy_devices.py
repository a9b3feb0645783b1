"""The devices on which NumPy computes: the CPU, and a simulated GPU for machines without one.

The simulated GPU has a memory account of its own and is labelled wherever it shows. Programs that measure device memory, or ask what
a GPU launches, run and can be read anywhere: the launches are those of a real GPU, NumPy computes. It says nothing about speed.
"""

from __future__ import annotations

from inplacelab.devices.base import Device

CPU = Device("cpu", "cpu", "cpu")
SIMULATED_GPU = Device("gpu:0", "gpu", "gpu:0 simulated", simulated=True, launches=True)
