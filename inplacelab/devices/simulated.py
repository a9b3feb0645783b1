"""A GPU for machines without one: NumPy underneath, an account of its own, and labelled wherever it shows.

It exists so that programs that measure device memory can be run and read anywhere. It says nothing about speed.
"""

from __future__ import annotations

from inplacelab.devices.base import Device

SIMULATED_GPU = Device("gpu:0", "gpu", "gpu:0 simulated", simulated=True)
