"""What tests do in a JupyterLab or a Notebook that runs: make a notebook, open it, wait for its kernel, run it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

MILLISECONDS = 240_000
"""How long anything may take on the busiest machine. Tests wait for a state, and go on as soon as it is reached."""

# anywidget gives a widget two seconds to load, and then fails for good; a browser beside a server and three kernels needs more. Only
# this limit: with anywidget's other one stretched, too, a notebook whose server does not answer would take minutes to open.
_PATIENCE = """{
    const { timeout } = AbortSignal
    AbortSignal.timeout = (milliseconds) => timeout.call(AbortSignal, milliseconds === 2000 ? 100 * milliseconds : milliseconds)
}"""

# The notebook that is open, brought to the front. It need not be what JupyterLab calls current: of the launcher, which is opened when
# a start finds nothing to show, and the notebook of the address, the current one is whichever came later; and none is while a window
# with a message holds the focus.
_THE_NOTEBOOK = """{
    window.theNotebook = () => {
        const shell = window.jupyterapp?.shell
        const isNotebook = (widget) => widget?.content?.model?.cells !== undefined
        if (isNotebook(shell?.currentWidget)) return shell.currentWidget
        const found = shell && [...shell.widgets('main')].findLast(isNotebook)
        if (found) shell.activateById(found.id)
        return found
    }
}"""

OPEN = """async ([name, sources]) => {
    const cells = sources.map((source) => ({ cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source }))
    const kernelspec = { name: 'python3', display_name: 'Python 3', language: 'python' }
    const content = { cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 4 }
    await window.jupyterapp.serviceManager.contents.save(name, { type: 'notebook', format: 'json', content })
    await window.jupyterapp.commands.execute('docmanager:open', { path: name })
}"""
"""Makes a notebook of that name, with these cells, and opens it."""

STARTED = "() => window.jupyterapp?.commands.hasCommand('docmanager:open')"
"""Whether a notebook can be opened."""

IS_OPEN = "() => window.theNotebook()?.content.model.cells.length > 1"
"""Whether a notebook is open, and has been read."""

READY = "() => window.theNotebook()?.sessionContext?.session?.kernel?.connectionStatus === 'connected'"
"""Whether the kernel of the open notebook can be asked."""

# A command's promise is not returned: it ends only when a dialog it may open is closed.
RUN_ALL = "() => { void window.jupyterapp.commands.execute('notebook:run-all-cells') }"
CLEAR = "async () => { await window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs') }"
ALL_HAVE_RUN = """() => [...window.theNotebook().content.model.cells]
    .every(cell => cell.type !== 'code' || (cell.executionCount && cell.executionState !== 'running'))"""
SAVE = "async () => { await window.jupyterapp.commands.execute('docmanager:save') }"
SHUT_DOWN = "async () => { await window.theNotebook().sessionContext.shutdown() }"


def new_page(chromium: Any, **options: Any) -> Any:
    """A page in a window of its own, with patience; its context is the caller's to close."""
    context = chromium.new_context(**options)
    context.add_init_script(_PATIENCE)
    context.add_init_script(_THE_NOTEBOOK)
    page = context.new_page()
    page.set_default_timeout(MILLISECONDS)
    return page


def run_all(page: Any) -> None:
    """Run the open notebook from an empty one, and wait for its last cell: until then JupyterLab moves the focus about."""
    page.wait_for_function(READY)
    page.evaluate(CLEAR)
    page.evaluate(RUN_ALL)
    page.wait_for_function(ALL_HAVE_RUN)


def until_equal(page: Any, ask: Callable[[], Any], wanted: Any) -> None:
    """Ask until the answer is the one that is wanted; if it never is, fail with the last one."""
    given_up = time.monotonic() + MILLISECONDS / 1000
    while (found := ask()) != wanted and time.monotonic() < given_up:
        page.wait_for_timeout(100)
    assert found == wanted
