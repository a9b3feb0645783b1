"""The devices on which NumPy computes: the CPU, and a simulated GPU for machines without one.

The simulated GPU has a separate memory account, and its name always contains "simulated". With it, programs that measure device
memory or collect kernel launches run on any machine. The launches are those of a real GPU; NumPy computes. It does not simulate speed.
"""

from __future__ import annotations

from inplacelab.devices.base import Device

CPU = Device("cpu", "cpu", "cpu")
SIMULATED_GPU = Device("gpu:0", "gpu", "gpu:0 simulated", simulated=True, launches=True)
