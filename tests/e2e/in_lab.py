"""What tests do in a JupyterLab that runs: make a notebook, open it, wait for its kernel."""

from __future__ import annotations

OPEN = """async ([name, sources]) => {
    const cells = sources.map((source) => ({ cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source }))
    const kernelspec = { name: 'python3', display_name: 'Python 3', language: 'python' }
    const content = { cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 4 }
    await window.jupyterapp.serviceManager.contents.save(name, { type: 'notebook', format: 'json', content })
    await window.jupyterapp.commands.execute('docmanager:open', { path: name })
}"""
"""Makes a notebook of that name, with these cells, and opens it."""

READY = (
    "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.connectionStatus === 'connected'"
)
"""Whether the kernel of the open notebook can be asked."""
