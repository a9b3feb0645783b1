"""Refusals of files, and of batches of examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inplacelab.errors.kinds import ArgumentError, AssertedArgumentError, ShapeError
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


# ---- batches ------------------------------------------------------------------------------------------------------------


def not_as_many_examples(lengths: Sequence[int]) -> AssertedArgumentError:
    return AssertedArgumentError(
        f"tensors not have same shape of the 1st dimension: {list(lengths)}",
        Text("the first axis counts the examples.", "第一个轴表示样本的序号。"),
        Text("give tensors with as many examples each.", "各张量的样本个数应相同。"),
    )


def no_batch_size(given: Any) -> AssertedArgumentError:
    return AssertedArgumentError(
        f"batch_size should be a positive integer, but got {given!r}",
        Text("it is how many examples make a batch.", "它表示一个批次有多少个样本。"),
        Text("give an integer of 1 or more.", "请给出不小于 1 的整数。"),
    )


def examples_of_different_shapes(shapes: Sequence[Any]) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) the examples of a batch are of different shapes: {sorted(set(shapes))}.",
        Text(
            "a batch is one tensor, with the examples along its first axis.", "一个批次是一个张量，样本沿第一个轴排列。"
        ),
        Text("make them equally large, or give a `collate_fn`.", "让它们一样大，或给出 `collate_fn`。"),
    )
