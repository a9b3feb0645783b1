"""Recorders: watch a program run and emit events, of which a `Recording` is built.

    program.py      the program's text, lines, and frames on the stack         instrument.py   reports when a statement begins
    static.py       reads the program's objects without running its code
         |
    own_code.py     which code is the program's, and which belongs to libraries
         |
    guard.py       whose code is recorded, and what a failure of the recorder does: every call of a recorder goes through it
         |
    recorder.py     what a recorder is: one class for each framework, in `inplacelab/frameworks/`
         |            dependences/: on which elements the elements of a framework's results depend
         |            graph_search.py, raw_memory.py, step_limit.py: what the recorders of frameworks share
         |            node_references.py: which grad nodes are gone
         |            live_bytes.py: how many bytes are there
         |            inferred_pass.py: what the nodes of a pass do that nothing reports
         |            raised_versions.py: which tensors a call has written     remarks.py: what a recording says it left out
         |            positions.py: which slots an index, a mask or a diagonal leads to
         |            whereabouts.py: where the program is     bindings.py: which names refer to what
         |            snapshots.py: copies of storages         handles.py: numbers for live objects
         |            stand_in.py: calls of a framework's functions that warn at the program's lines
         |            tracebacks.py: errors without the frames of recorders
         v
    events/         one small class for each kind of event                     log.py   keeps all events, or the last ones
         |
         v  when the recording is asked for
    builder/        matches events into steps, and decodes what was copied
    advice.py       what a refusal says of this very program: the lines that led to it, and fixes
         |          fix_search.py: which of them work        replay.py: runs the program again, initial_values.py: with what it was given
         |          other_data.py: runs programs on other data     slopes.py: finite differences of the loss

Existing tensors, without a program: `existing.py` finds them in what `inplacelab.show` is given (`argument_names.py`: under which names), has
the recorders describe them (`Recorder.look`), and builds a recording of one step; `sharing.py` tells whether two share a storage, by where
that is (`memory.py`).

`run.py` is the way in: `record()`, `%%stepper` and the command line each make a `Session`. An event is plain data: numbers for
objects, layouts, copies of bytes. It carries its thread and rank, and whether it was observed or inferred. Versions
belong to counters, since a framework may count some aliases separately.

**A framework is one folder**, whose recorder emits events (`recorder.Recorder`); `detection.py` finds out which one a program uses. While the
program runs, nothing else is imported. The builder constructs steps from the classes that recorders emit, so mypy finds a field that has moved.
If a recorder cannot be imported or begun, such as with a version of its framework that lacks something, the program runs unrecorded (`run.py`).

NumPy reports nothing, so `frameworks/numpy/` looks at the arrays when a statement begins and infers what the previous one did. Three modules
below it know no NumPy arrays and serve any framework that is silent: `storages.py` (which storages have other bytes than before),
`attribution.py` (which statement made or wrote an array), `statements.py` (what the text of a statement binds, writes and reads).

PyTorch tells what is so now (versions, `grad_fn`, `_raw_saved_*`) but not what happens. So `frameworks/torch/` looks at the tensors of each call,
before and after it. What is done in C++ alone is inferred and marked so: the order of the nodes in a pass. What Python cannot see is
not recorded, and a note says so: what the operation inside a `CopySlices` has saved, what `torch.compile` runs, other threads.

PaddlePaddle has no modes and shows less. So `frameworks/paddle/` takes the places of its functions, and infers what nodes have saved, from
their names and what such nodes save. That was measured, and a test measures it again. Writes that raise no version are found by comparing
contents; the recording says so.

**Inside backward.** The engine computes backward with operations too, but these are not steps: the nodes are. A pass calls code of
the program, a hook or the `backward` of a `PyLayer`, and reports that (`hook_begins`, `custom_begins`). Operations in there are
recorded as steps of the phase "backward". Such code may begin another pass, so the engine's recorder and the builder keep a stack of them:
a pass that ends restores the states of the nodes that the pass around it had left. An exception in a hook always ends its pass, so
no event has to report that a hook has failed.
"""
