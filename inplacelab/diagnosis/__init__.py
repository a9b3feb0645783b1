"""Says why a program fails: which line kept a value, which lines overwrote it, which line needed it, and what to do.

    explain.py       the way in: `explain()`, and `inplacelab explain`; magic.py: `%explain`; pytest_plugin.py: `pytest --explain`
         |
    the watch of a framework (`Framework.watch`)   notes, while a PyTorch program runs, which lines make grad nodes and which lines write
    places.py        where the program is: the frames of its own code         ledger.py   what a watch has noted, in bounded memory
         |
    its other half, after a failure   finds, in the graph of a pass that failed, what was overwritten
    recorded_watch.py   the same for frameworks whose programs are recorded (`recording.trace`)
         |
    failures.py      the facts of a backward pass that failed (`FailureFacts` of the recording), and of which exception they are
         |
    trials.py        tries edits (`recording/fixes`) in a copy of the script's folder
         |           trial_run.py: one trial, in a process of its own; recorded_trial.py: of programs that are recorded;
         |           source_file.py: files as they are written; slopes.py: finite differences of the loss
    findings.py      what is said of a failure: facts, advice, fixes. `recording.sentences.failures` has the words
    report.py        the text for the terminal       quoting.py   the lines of the program, underlined
    document.py      the same as JSON                annotations.py   the same for a GitHub workflow
    refusals.py      finds the same of a recording whose program has failed
    unnoticed.py     warns of gradients that Paddle gets wrong without an error

A watch notes less than a recorder, so that a program may run for hours: no values, no names, and metadata only of what was written.
When a pass has failed, the graph still has the rest.
"""
