"""A simulated GPU for machines without one: NumPy computes, memory has a separate account, and it is always marked.

With it, programs that measure device memory or collect kernel launches run on any machine. The launches it reports are those
of a real GPU; NumPy computes the results. It does not simulate speed.
"""

from __future__ import annotations

from inplacelab.devices.base import Device

SIMULATED_GPU = Device("gpu:0", "gpu", "gpu:0 simulated", simulated=True, launches=True)
