"""The device CPU: NumPy arrays in ordinary memory."""

from __future__ import annotations

from inplacelab.devices.base import Device

CPU = Device("cpu", "cpu", "cpu")
