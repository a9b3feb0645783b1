"""Refusals of files."""

from __future__ import annotations

from inplacelab.errors.kinds import ArgumentError
from inplacelab.language import Text


def cannot_be_saved(kind: str) -> ArgumentError:
    return ArgumentError(
        f"save(): an object of type '{kind}' cannot be written.",
        Text(
            "a file holds tensors, arrays, numbers and words, in dictionaries, lists and tuples: what can be read again without "
            "running code.",
            "文件只存放张量、数组、数和字符串，以及装有它们的字典、列表和元组：读取时无需运行任何代码。",
        ),
        Text(
            "save a layer's `state_dict()`, and load it into a new layer with `set_state_dict`.",
            "请保存层的 `state_dict()`，再用 `set_state_dict` 载入新的层。",
        ),
    )


def no_such_file(path: str) -> ArgumentError:
    return ArgumentError(
        f"The ``path`` ({path}) to load model not exists.",
        Text("there is no file of this name.", "没有这个名字的文件。"),
        Text(
            "save one first: `paddle.save(layer.state_dict(), path)`.",
            "请先保存：`paddle.save(layer.state_dict(), path)`。",
        ),
    )


def no_file_name(path: str) -> ArgumentError:
    return ArgumentError(
        f"The input path MUST be format of dirname/filename, but received {path}.",
        Text("this is a folder.", "这是一个文件夹。"),
        Text("add a name: `path + 'net.pdparams'`.", "请加上文件名：`path + 'net.pdparams'`。"),
    )


def not_our_file(path: str) -> ArgumentError:
    return ArgumentError(
        f"load(): {path} was not written by `inplacelab.save`.",
        Text(
            "PaddlePaddle's files are pickles, and to read a pickle is to run whatever code its author put into it; this package "
            "reads none.",
            "PaddlePaddle 的文件是 pickle，读取 pickle 就会运行其作者放入的任意代码；本包不读取它们。",
        ),
        Text(
            "load it with PaddlePaddle, take the arrays (`{k: v.numpy() for k, v in state.items()}`), and save them here.",
            "用 PaddlePaddle 载入，取出数组（`{k: v.numpy() for k, v in state.items()}`），再用本包保存。",
        ),
    )
