"""A GPU that was asked for and cannot be used: what is missing, and what to install."""

from __future__ import annotations

from collections.abc import Sequence

from inplacelab.errors.kinds import DeviceError, GpuError
from inplacelab.language import Text

_SIMULATE = Text(
    "To study without one: `set_device('gpu', simulate=True)` is a GPU that is simulated on the CPU; it says so wherever it shows.",
    "没有 GPU 也可以学习：`set_device('gpu', simulate=True)` 是在 CPU 上模拟的 GPU，并在各处标明“模拟”。",
)


def _refused(what: str, why: Text, fix: Text) -> DeviceError:
    return DeviceError(
        f"The device should not be 'gpu', since {what}.",
        why,
        Text(f"{fix.en} {_SIMULATE.en}", f"{fix.zh}{_SIMULATE.zh}"),
    )


def no_cupy() -> DeviceError:
    return _refused(
        "CuPy is not installed",
        Text(
            "a GPU computes through CuPy, which is an optional package.",
            "在 GPU 上计算需要 CuPy，它是可选的软件包。",
        ),
        Text(
            'choose by the "CUDA Version" that `nvidia-smi` prints: `pip install "inplacelab[gpu13]"` for 13.x, '
            '`pip install "inplacelab[gpu12]"` for 12.x; never both.',
            '按 `nvidia-smi` 显示的“CUDA Version”选择：13.x 用 `pip install "inplacelab[gpu13]"`，'
            '12.x 用 `pip install "inplacelab[gpu12]"`；不要两者都装。',
        ),
    )


def two_cupys(installed: Sequence[str]) -> DeviceError:
    first, second = installed[:2]
    return _refused(
        f"two packages of CuPy are installed: {first} and {second}",
        Text(
            "they overwrite each other's files, and what is left belongs to neither version of CUDA.",
            "两者会互相覆盖文件，剩下的文件不属于任何一个 CUDA 版本。",
        ),
        Text(
            "remove both and install the one that fits your driver: `pip uninstall {first} {second}`, then "
            '`pip install "inplacelab[gpu13]"` (CUDA 13.x) or `pip install "inplacelab[gpu12]"` (CUDA 12.x).',
            "先把两者都卸载，再安装与驱动相符的那一个：`pip uninstall {first} {second}`，然后 "
            '`pip install "inplacelab[gpu13]"`（CUDA 13.x）或 `pip install "inplacelab[gpu12]"`（CUDA 12.x）。',
        ).format(first=first, second=second),
    )


def no_driver(cupy: str) -> DeviceError:
    return _refused(
        f"CuPy {cupy} finds no NVIDIA driver",
        Text(
            "CuPy is installed, but the library of the driver (libcuda) is not there, or too old for this CuPy.",
            "CuPy 已安装，但找不到驱动的库（libcuda），或者驱动对于这个 CuPy 来说太旧。",
        ),
        Text(
            "run `nvidia-smi`: if it is not found, install NVIDIA's driver (in a container: start it with `--gpus all`); if it "
            'prints CUDA 12.x, replace CuPy: `pip uninstall cupy-cuda13x`, then `pip install "inplacelab[gpu12]"`.',
            "运行 `nvidia-smi`：若没有这个命令，请安装 NVIDIA 驱动（在容器中请用 `--gpus all` 启动）；若它显示 CUDA 12.x，请更换 CuPy："
            '先 `pip uninstall cupy-cuda13x`，再 `pip install "inplacelab[gpu12]"`。',
        ),
    )


def no_device(cupy: str) -> DeviceError:
    return _refused(
        f"CuPy {cupy} and a driver are there, but no GPU",
        Text(
            "the driver counts no device that this process may use.",
            "驱动报告没有本进程可用的设备。",
        ),
        Text(
            "look at `nvidia-smi`, and at the variable CUDA_VISIBLE_DEVICES, which hides devices.",
            "请查看 `nvidia-smi`，以及会隐藏设备的环境变量 CUDA_VISIBLE_DEVICES。",
        ),
    )


def no_such_gpu(device: str) -> DeviceError:
    return DeviceError(
        f"The device should not be {device!r}: only 'gpu:0' is used.",
        Text("this package computes on the first GPU that CuPy sees.", "本软件包在 CuPy 看到的第一个 GPU 上计算。"),
        Text(
            "use 'gpu'; to have another one counted first, start Python with CUDA_VISIBLE_DEVICES set to its number.",
            "请使用 'gpu'；若想让另一个 GPU 排在第一，请在启动 Python 时把 CUDA_VISIBLE_DEVICES 设为它的编号。",
        ),
    )


def not_on_the_gpu(function: str, why: Text | None = None) -> GpuError:
    return GpuError(
        f"(Unimplemented) {function} does not run on the GPU yet.",
        why
        or Text(
            "CuPy has no such function, and none of ours stands in for it.",
            "CuPy 没有这个函数，我们也还没有替代它的实现。",
        ),
        Text(
            "compute this step on the CPU: `x.cpu()`, and back with `.cuda()`.",
            "请在 CPU 上计算这一步：`x.cpu()`，再用 `.cuda()` 送回。",
        ),
    )


def no_gpu_to_describe(function: str) -> DeviceError:
    return DeviceError(
        f"The API paddle.device.cuda.{function} is not supported without a GPU.",
        Text("there is no driver to ask.", "没有可以询问的驱动。"),
        Text(
            "`paddle.device.max_memory_allocated()` gives the account of tensors on every device.",
            "`paddle.device.max_memory_allocated()` 在任何设备上都给出张量的账目。",
        ),
    )


def no_pinned_memory() -> DeviceError:
    return DeviceError(
        "(PermissionDenied) Cannot use CUDAPinnedPlace without a GPU.",
        Text(
            "pinned memory is ordinary memory that a GPU may read while the program goes on.",
            "锁页内存是 GPU 可以在程序继续运行时直接读取的普通内存。",
        ),
        Text(
            "choose a GPU first: `set_device('gpu')`, or the simulated one.",
            "请先选择 GPU：`set_device('gpu')`，或模拟的 GPU。",
        ),
    )
