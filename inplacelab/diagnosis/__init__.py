"""Says why a program fails: which line kept a value, which lines overwrote it, which line needed it, and what to do.

    explain.py       the way in: `explain()`, and `inplacelab explain`; magic.py: `%explain`; pytest_plugin.py: `pytest --explain`
         |
    torch_watch.py   notes, while a PyTorch program runs, which lines make grad nodes and which lines write
    places.py        where the program is: the frames of its own code         ledger.py   what a watch has noted, in bounded memory
         |
    torch_stale_values.py   finds, in the graph of a pass that failed, what was overwritten
         |
    failures.py      the facts of a backward pass that failed
         |
    trials.py        tries edits (`recording/fixes`) in a copy of the script's folder
         |           trial_run.py: one trial, in a process of its own; torch_trial.py, paddle_trial.py, engine_trial.py: for one
         |           framework; recorded_trial.py: of programs that are recorded; source_file.py: files as they are written;
         |           slopes.py: finite differences of the loss
    processes.py     runs processes of which nothing is left
    cells.py         the cells of a notebook as one program        search_run.py    looks for fixes of it, in a process of its own
    seen.py          what was seen of a program, by a watch or in a recording: the command line says and writes it
    findings.py      what is said of a failure, as data: all that follows is made of it
    report.py        the text for the terminal       quoting.py   the lines of the program, underlined
    document.py      the same as JSON                annotations.py   the same for a GitHub workflow
    refusals.py      says the same of a recording whose program this package's engine has refused
    unnoticed.py     warns of gradients that Paddle gets wrong without an error

A watch notes less than a recorder, so that a program may run for hours: no values, no names, and metadata only of what was written.
When a pass has failed, the graph still has the rest.
"""
