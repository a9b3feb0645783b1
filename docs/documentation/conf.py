"""How Sphinx builds the documentation of one language. `build_docs.py` names the language: `-D language=zh_CN`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

project = "inplacelab"
author = project_copyright = "The inplacelab authors"
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "documentation.docstrings",
    "documentation.chinese_search",
]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb", ".rst": "restructuredtext"}

# The lessons are shown with the outputs that they have. A page asks nothing of other machines: no library for widgets.
nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, dict[str, str]] = {}
nb_merge_streams = True
nb_code_prompt_show, nb_code_prompt_hide = (
    ("显示代码", "收起代码") if os.environ.get("INPLACELAB_LANGUAGE") == "zh" else ("Show the code", "Hide the code")
)

myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 3
suppress_warnings = [
    "misc.highlighting_failure",  # code in lessons and pages is IPython's, with `%%` and `!`
    "ref.python",  # a type such as `step` may be the name of several members: it is then shown without a link
]

# In docstrings, `name` in backquotes is code.
default_role = "code"
add_module_names = False
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
napoleon_custom_sections = [("Derivatives", "params_style")]

html_theme = "furo"
html_title = "inplacelab"
html_static_path = ["static"]
html_css_files = ["documentation.css"]
html_js_files = ["accessible.js", "players.js", "searchable.js"]
templates_path = ["templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html", "sidebar/languages.html", "sidebar/search.html", "sidebar/scroll-start.html",
        "sidebar/navigation.html", "sidebar/scroll-end.html",
    ],
}  # fmt: skip
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": False}  # arrow keys step a player
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
