"""Says why a program fails: which line kept a value, which lines overwrote it, which line needed it, and what to do.

    explain.py       the way in: `explain()`, and `inplacelab explain`; pytest_plugin.py: `pytest --explain`
         |
    A watch (`Framework.watch`) notes, while a program runs, which lines make grad nodes and which lines write; after a failure it finds, in the
         |           graph of the pass, what was overwritten
    watch_log.py     what a watch has noted, in bounded memory
    places.py        where the program was: the frames of its own code, the iterations of loops, and what the reader calls the operands
         |           expressions.py: what the text says of a position in it; program_texts.py: the texts as they were when the program ran
    recorded_failures.py   finds the same in a recording: of an error, and of gradients that are wrong without one; and it is the watch for a
         |           framework that is recorded
    findings.py      what is found out about a failure, and said of it: facts (`recording.facts.FailureFacts`), advice, fixes.
         |           `recording.sentences.failures` has the words
    trials.py        runs edits in a copy of the script's folder, for the search for fixes (`recorders.fix_search`)
         |           trial_run.py: one trial, in a process of its own, as its framework runs it (`Framework.trial`)
    cells.py         the cells of a notebook as one program; looks for fixes of it, in a process of its own; `%explain`
    report.py        the text for the terminal, with the lines of the program, underlined
    document.py      the same as JSON, and for a GitHub workflow
    unknown_keyword.py   says more of a call with a keyword that a function does not have

A watch notes less than a recorder, so that a program may run for hours: no values, no names, and metadata only of what was written.
When a pass has failed, the graph still has the rest.
"""
