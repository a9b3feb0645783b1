"""Recorders: watch a program run and emit events, of which a `Recording` is built.

    program.py      the program's text, lines, frames on the stack, and tracebacks         instrument.py   reports when a statement begins
    static.py       reads the program's objects without running its code                   main_module.py  which program is run
    own_code.py     which code is the program's, and which belongs to libraries
         |
    guard.py        whose code is recorded, and what a failure of the recorder does, and its limit: every call of a recorder goes through it
         |
    recorder.py     what a recorder is: one class for each framework, in `inplacelab/frameworks/`; `detection.py` chooses it
         |            call_recorder.py: looks at the tensors of each call, for frameworks that do not report what happens
         |            known_objects.py: what it knows of tensors, storages, version counters and grad nodes
         |            backward_passes.py: what a pass does that nothing reports
         |            dependences/: on which elements the elements of a framework's results depend
         |            positions.py: which slots an index, a mask or a diagonal leads to
         |            names_and_lines.py: where the program is, and which names refer to what
         |            snapshots.py: copies of storages         live_objects.py: numbers for live objects
         v
    events.py       one small class for each kind of event                     log.py   keeps all events, or the last ones
         |
         v  when the recording is asked for
    builder.py      matches events into steps              builder_facts.py   the facts of a step; decodes what was copied
    advice.py       what a refusal says of this very program: the lines that led to it, and fixes
         |            fix_search.py: which of them work        replay.py: runs the program again
         |            trial_data.py: with what it was given, or on other data, and what finite differences of the loss say then

Existing tensors, without a program: `existing.py` finds them in what `inplacelab.show` is given, has the recorders describe them
(`Recorder.look`), and builds a recording of one step; it also tells whether two tensors share a storage.

`run.py` is the way in: `record()`, `%%stepper` and the command line each make a `Session`. An event is plain data: numbers for
objects, layouts, copies of bytes. It carries its thread and rank, and whether it was observed or inferred. Versions
belong to counters, since a framework may count some aliases separately.

**A framework is one folder**, whose recorder emits events (`recorder.Recorder`). While the program runs, nothing else is imported. The builder
constructs steps from the classes that recorders emit, so mypy finds a field that has moved. If a recorder cannot be imported or begun, such as
with a version of its framework that lacks something, the program runs unrecorded (`run.py`).

NumPy reports nothing, so `frameworks/numpy/` looks at the arrays when a statement begins and infers what the previous one did.

PyTorch and PaddlePaddle tell what is so now but not what happens. So `call_recorder.py` looks at the tensors of each call, before and after it. The
two answer seven questions. PyTorch calls a mode for its operations, and shows what nodes have saved. PaddlePaddle has no modes and shows less: the
places of its functions are taken, and what nodes have saved is inferred, from their names and what such nodes save. That was measured, and a
test measures it again. What is done in C++ alone is inferred and marked so: the order of the nodes in a pass. What Python cannot see is not
recorded, and a note says so: what the operation inside a `CopySlices` has saved, what `torch.compile` runs, other threads. Writes that raise no
version are found by comparing contents; the recording says so.

**Inside backward.** The engine computes backward with operations too, but these are not steps: the nodes are. A pass calls code of
the program, a hook or the `backward` of a `PyLayer`, and reports that (`hook_begins`, `custom_begins`). Operations in there are
recorded as steps of the phase "backward". Such code may begin another pass, so the engine's recorder and the builder keep a stack of them:
a pass that ends restores the states of the nodes that the pass around it had left. An exception in a hook always ends its pass, so
no event has to report that a hook has failed.
"""
