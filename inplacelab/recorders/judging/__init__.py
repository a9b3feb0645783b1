"""Replays a program of another framework on this package's engine while it runs, and compares the gradients.

Each tensor of the program has a *twin*: a tensor of the engine with the same values. After a call, the same operation runs on the twins of its
operands, and the twin of the result gets the framework's values, so rounding does not add up: only the history is the engine's. A result that
the engine computes otherwise, or an operation that it lacks, leaves a *gap*: gradients that pass through it are not compared. Nothing is
overwritten for the engine (`copy_saved_before_write`), so its gradients are those of what was computed.

When a backward pass has ended, the engine goes through the history of the twins, and each gradient that the framework has computed is compared
with the engine's. If they differ, the operations on the way are tried one by one in the framework, to find the one whose own gradient is wrong.

judge.py      `Judge`: what runs beside the program          comparing.py  goes through a pass, and compares its gradients
observing.py  what hooks and custom functions have returned   twins.py      values of tensors and their twins
causes.py     tries single operations                         judgment.py  what the comparison has shown

A hook, and the `backward` of a `PyLayer`, is never called again: what it received and returned in the program's pass is observed, and used
where what arrives here agrees with that. Gradients are equal if they differ by no more than rounding explains. How much that is, is seen from a
pass in which each gradient is changed a little on its way: sums that cancel then move as much as rounding moves them.
"""
