"""A GPU for machines without one: NumPy underneath, an account of its own, and labelled wherever it shows.

It exists so that programs that measure device memory, or ask what a GPU launches, can be run and read anywhere. What it tells of
launches is what a GPU would do; NumPy computes. It says nothing about speed.
"""

from __future__ import annotations

from inplacelab.devices.base import Device

SIMULATED_GPU = Device("gpu:0", "gpu", "gpu:0 simulated", simulated=True, launches=True)
