"""Says why a program fails: which line kept a value, which lines overwrote it, which line needed it, and what to do.

    explain.py       the way in: `explain()`, and `inplacelab explain`; magic.py: `%explain`; pytest_plugin.py: `pytest --explain`
         |
    A watch (`Framework.watch`) notes, while a program runs, which lines make grad nodes and which lines write; `frameworks/torch/` has one.
    recorded_watch.py   the same for a framework that is recorded: only its last events are kept
    places.py        where the program is: the frames of its own code         ledger.py   what a watch has noted, in bounded memory
         |
    failures.py      the facts of a backward pass that failed
         |
    trials.py        runs edits in a copy of the script's folder, for the search for fixes (`recorders/fix_search`)
         |           trial_run.py: one trial, in a process of its own, by the framework's `trial`; recorded_trial.py: of programs that
         |           are recorded; source_file.py: files as they are written
    findings.py      what is said of a failure, as data: all that follows is made of it
    report.py        the text for the terminal       quoting.py   the lines of the program, underlined
    document.py      the same as JSON                annotations.py   the same for a GitHub workflow
    refusals.py      says the same of a recording whose program this package's engine has refused
    unnoticed.py     warns of gradients that are wrong without an error

A watch notes less than a recorder, so that a program may run for hours: no values, no names, and metadata only of what was written.
When a pass has failed, the graph still has the rest.
"""
