"""What is said and shown of programs of all kinds, at every step, in both languages: rules that hold wherever there are words."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from random import Random

import pytest

from inplacelab.language import LANGUAGES, Text, columns, padded
from inplacelab.recording import Recording, State, sentence
from inplacelab.recording.code_of_steps import code_of
from inplacelab.recording.queries import tensors_counted_by
from inplacelab.recording.quiz import questions_at
from inplacelab.recording.relations import made, relation_of
from inplacelab.recording.sentences import line_sentence
from inplacelab.supported import terms_of
from inplacelab_widgets import to_text
from inplacelab_widgets.scene.memory_panel import holders
from inplacelab_widgets.scene.names import kind, unquoted
from inplacelab_widgets.scene.tables import tables
from inplacelab_widgets.scene.tensor_cards import face_of
from inplacelab_widgets.scene.text_layout import NORMAL, wrapped
from tests.gallery.programs import GALLERY, Program
from tests.recorders.golden.renew import PROGRAMS, run
from tests.tiers import choose, sample
from tests.witness.random_programs import write

LESSONS = Path(__file__).parents[2] / "notebooks" / "lessons"
CELLS = [
    text.replace("{{language}}", "en")
    for source in sorted(LESSONS.glob("*.md"))
    for text in re.findall(r"```python[^\n]*\n%%stepper[^\n]*\n(.*?)```", source.read_text(encoding="utf-8"), re.DOTALL)
]
"""The recorded cells of the lessons. One that uses names of the cells before it ends with an error, which is recorded, too."""

STRIDE = choose(4, 2, 1)
TRIED = sample(GALLERY, one_in=choose(6, 3, 1), by=[attrgetter("framework")], name=attrgetter("name"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_recorded_examples(name: str) -> None:
    check(run(PROGRAMS[name]).recording)


@pytest.mark.parametrize("first", range(8))
def test_the_cells_of_the_lessons(first: int) -> None:
    texts = CELLS[first :: 8 * STRIDE]
    assert texts
    for text in texts:
        check(run(text).recording)


@pytest.mark.parametrize("seed", range(choose(15, 30, 600)))
def test_random_programs(seed: int) -> None:
    check(run(write(Random(seed))).recording)


@pytest.mark.oracle
@pytest.mark.parametrize("program", TRIED, ids=attrgetter("name"))
def test_the_programs_of_the_gallery(program: Program) -> None:
    pytest.importorskip(program.framework)
    from tests.recorders import runs  # noqa: PLC0415

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(runs.run(program.text, program.framework).recording)


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(0, choose(50, 80, 2000), 2))
def test_random_programs_of_pytorch(seed: int) -> None:
    pytest.importorskip("torch")
    from tests.recorders import runs, torch_programs  # noqa: PLC0415

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(runs.run(torch_programs.program(seed), "torch").recording)


NUMPY = """
x = np.zeros((2, 3))
row = x[0]
row[1] = 5
x += 1
y = x.reshape(-1)
y[::2] = x[0, 0]
z = np.add(x, x, out=x)
x = x * 2
del row
t = x.T
t[0] = [1, 2]
"""


def test_a_program_of_numpy() -> None:
    from tests.recorders import runs  # noqa: PLC0415

    check(runs.run(NUMPY, "numpy").recording)


# --- the rules -----------------------------------------------------------------------------------------------------------


def check(recording: Recording) -> None:
    """Asserts all rules at all steps."""
    told: set[Text] = set()
    code = {code_of(recording, step) for step in recording.steps}
    for state in recording.states():
        index = state.step.index
        said = sentence(recording, index)
        where = f"step {index} of\n{recording.source}\n{said.en}\n{said.zh}"
        questions = [text for each in questions_at(recording, index) for text in (each.ask, each.why, *each.options)]
        shown = list(_shown(recording, state))
        for text in {said, line_sentence(recording, index), *questions, *shown} - told:
            _is_well_said(_without_code(text, code), where)
            told.add(text)
        _names_all_sharers(recording, state, said, where)
        _tells_where_tensors_come_from(recording, state, where)
    for found, state in zip(holders(recording), recording.states(), strict=True):
        assert sum(found.totals.values()) == state.step.live, f"step {state.step.index} of\n{recording.source}"
    for index in {*range(0, len(recording), 7), len(recording) - 1}:
        _tables_are_aligned(recording, index)


def _shown(recording: Recording, state: State) -> Iterator[Text]:
    """Returns the words of tables and cards."""
    for table in tables(recording, state):
        for word in (table.title, *table.columns, *(cell for _, cells in table.rows for cell in cells)):
            yield word if isinstance(word, Text) else Text(word, word)


def _without_code(text: Text, code: set[str]) -> Text:
    """Returns the text with the operations of the program, which have no backticks in pictures, as names."""
    zh = text.zh
    for each in sorted(code, key=len, reverse=True):
        zh = zh.replace(each, "operation") if "(" in each else zh
    return Text(text.en, zh)


ELISION = re.compile(r"\b\d+ (others|more)\b|另外 \d+ 个|等 \d+ 个")
HALF_WIDTH = re.compile(r"[一-鿿`] ?[,;:!?](?!\w)|[,;:!?][ `]*[一-鿿]|[一-鿿] ?\(|\) ?[一-鿿]")
UNSAID = ("setitem", "getitem", "零个", "共享它的有", "takes out", "取出", "had saved", "升版")


def _is_well_said(text: Text, where: str) -> None:
    assert not ELISION.search(text.en), where
    assert not ELISION.search(text.zh), where
    if not _quotes_an_error(where):
        outside = re.sub(r"`[^`]*`|\[[^\]]*\]", "`", text.zh)
        assert not HALF_WIDTH.search(outside), (text.zh, where)
    for word in UNSAID:
        assert word not in text.en.replace("__setitem__", ""), where
        assert word not in text.zh.replace("__setitem__", ""), where
    for language in LANGUAGES:
        for room in (90, 200, 340):
            for piece in wrapped(unquoted(text).in_language(language), room, NORMAL):
                assert not piece.startswith("→ "), (piece, where)
                assert not piece.endswith(" →"), (piece, where)


def _quotes_an_error(where: str) -> bool:
    """Whether a message of Python or of a framework is part of what is said."""
    return "raised" in where


def _names_all_sharers(recording: Recording, state: State, said: Text, where: str) -> None:
    if state.step.kind != "operation":
        return
    for write_ in state.step.writes:
        sharers = [tensor.id for tensor in tensors_counted_by(state, write_.counter)]
        if write_.before == write_.after or not {*sharers} - {write_.tensor}:
            continue
        for key in sharers:
            names = [name for name in state.called(key).shown if "[" not in name]
            for text in (said.en, said.zh):
                assert not names or any(f"{name}`" in text for name in names), (names, where)


def _tells_where_tensors_come_from(recording: Recording, state: State, where: str) -> None:
    for tensor in state.tensors.values():
        said, how = face_of(recording, tensor, state).origin, made(recording)[tensor.id]
        assert re.match("line |made by|existed before|first seen", said.en), (said.en, where)
        if how.line is not None:
            assert re.search(rf"\bline {how.line}\b", said.en), (said.en, where)
            assert f"第 {how.line} 行" in said.zh, (said.zh, where)
        if how.how == "made" and how.line is not None:
            line = recording.source.splitlines()[how.line - 1]
            assert how.op.split("[")[0].split(" ")[0].split("(…)")[0] in line or how.op.isidentifier(), (said.en, where)
        _names_the_base(recording, state, tensor.id, where)


def _names_the_base(recording: Recording, state: State, tensor: int, where: str) -> None:
    facts = state.tensors[tensor]
    found = relation_of(recording, state, facts)
    said = kind(recording, facts, state)
    if facts.base is not None:
        assert found is not None, where
        assert found.kind == ("shares" if made(recording)[tensor].detached and found.via is not None else "view"), where
    if found is None or said is None or state.owner_of_gradient(tensor) is not None:
        return
    # If it was made of a tensor with a name, the card says that name.
    given: list[int] = []
    here = made(recording)[tensor].given
    while here is not None and here not in given:
        given.append(here)
        here = made(recording)[here].given
    there = [key for key in (*given, *([] if facts.base is None else [facts.base])) if key in state.tensors]
    named = [
        state.called(key).first
        for key in there
        if state.called(key).names and state.tensors[key].storage == facts.storage
    ]
    assert isinstance(said, Text)
    assert not named or any(name in said.en for name in named), (said.en, where)
    assert not named or not re.search(r"\bT\d+$", said.en), (said.en, where)


def _tables_are_aligned(recording: Recording, index: int) -> None:
    text = to_text(recording, index, "zh")
    for table in tables(recording, recording.state(index)):
        cells = [
            [word.zh if isinstance(word, Text) else word for word in row]
            for row in (table.columns, *(row for _, row in table.rows))
        ]
        if table.rows:
            width = max(columns(row[0]) for row in cells)
            for first, second, *_ in cells:
                assert f"  {padded(first, width)}  {second}".rstrip() in text, text


# --- single rules ---------------------------------------------------------------------------------------------------------


def test_what_an_optimizer_does_is_no_forward_computation() -> None:
    recording = run(
        "net = paddle.nn.Linear(2, 1)\n"
        "sgd = paddle.optimizer.SGD(learning_rate=0.1, parameters=net.parameters())\n"
        "for _ in range(2):\n"
        "    loss = net(paddle.ones([1, 2])).sum()\n"
        "    loss.backward()\n"
        "    sgd.step()\n"
        "    sgd.clear_grad()\n"
    ).recording
    for index, step in enumerate(recording.steps):
        first = to_text(recording, index, "zh").splitlines()[0]
        expected = {4: "前向计算", 5: "反向传播", 6: "更新", 7: "更新"}.get(step.line or 0, "前向计算")
        assert first.endswith(expected), (index, first)


def test_a_detached_tensor_says_what_it_shares_and_which_line_made_it() -> None:
    recording = run("target = paddle.ones([2])\nt = target * 2.\nalias = t.detach()\npart = alias[1:]\n").recording
    state = recording.state()
    faces = {name: face_of(recording, state.tensor(name), state) for name in ("alias", "part")}
    assert str(faces["alias"].kind) == "shares storage with t"
    assert str(faces["alias"].origin) == "line 3  t.detach()"
    assert str(faces["part"].origin) == "line 4  alias[1:]"
    assert "which shares storage S1 with `t`" in sentence(recording, 2).en


def test_a_view_of_a_view_is_made_by_way_of_it() -> None:
    recording = run(
        "t = paddle.arange(6).reshape([2, 3])\nrow = t[1]\nm = paddle.ones([2, 2])\nn = m.t()\nu = n[0]\n"
    ).recording
    state = recording.state()
    assert str(kind(recording, state.tensor("row"), state)) == "view by way of t"
    assert str(kind(recording, state.tensor("u"), state)) == "view of m by way of n"


@pytest.mark.parametrize("framework", ["inplacelab", "numpy", "torch"])
def test_all_of_many_sharers_are_named(framework: str) -> None:
    text = "x = paddle.ones([8])\na, b, c, d, e, f, g = (x[k:] for k in range(7))\nx.zero_()\n"
    recording = run(text).recording
    said = sentence(recording, len(recording) - 1)
    assert all(f"`{name}`" in text for name in "xabcdefg" for text in (said.en, said.zh))
    assert terms_of(recording).has_gradients
