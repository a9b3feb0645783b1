"""Says why a program fails: which line kept a value, which lines overwrote it, which line needed it, and what to do.

    explain.py       the way in: `explain()`, and `inplacelab explain`; magic.py: `%explain`; pytest_plugin.py: `pytest --explain`
         |
    A watch (`Framework.watch`) notes, while a program runs, which lines make grad nodes and which lines write; after a failure it finds, in the
         |           graph of the pass, what was overwritten. recorded_watch.py: the same for a framework that is recorded
    places.py        where the program is: the frames of its own code         ledger.py   what a watch has noted, in bounded memory
         |
    failures.py      the facts of a failure (`recording.facts.FailureFacts`), and of which exception they are
         |
    trials.py        runs edits in a copy of the script's folder, for the search for fixes (`recorders.fix_search`)
         |           trial_run.py: one trial, in a process of its own, as its framework runs it (`Framework.trial`);
         |           recorded_trial.py: of programs that are recorded; source_file.py: files as they are written
    cells.py         the cells of a notebook as one program        search_run.py    looks for fixes of it, in a process of its own
    seen.py          what was seen of a program, by a watch or in a recording: the command line says and writes it
    findings.py      what is said of a failure: facts, advice, fixes. `recording.sentences.failures` has the words
    report.py        the text for the terminal       quoting.py   the lines of the program, underlined
    document.py      the same as JSON                annotations.py   the same for a GitHub workflow
    refusals.py      finds the same of a recording: of an error, and of gradients that are wrong without one

A watch notes less than a recorder, so that a program may run for hours: no values, no names, and metadata only of what was written.
When a pass has failed, the graph still has the rest.
"""
