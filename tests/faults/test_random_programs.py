"""Random programs in which something fails: what comes out is right or refused, and nothing is left behind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

import inplacelab as paddle
from inplacelab import devices, errors
from inplacelab.autograd import engine
from inplacelab.autograd.nodes import Node, number
from inplacelab.language import Text
from inplacelab.ops import template
from inplacelab.ops.table import ROWS, variants
from inplacelab.ops.table.row import Row
from tests.oracle.program import Program, Statement
from tests.tiers import examples

from . import session
from .plan import Faulty, Plan, faulty, plan_of
from .state import Baseline
from .verdict import DEFECTS, Verdict, judge

BATCH = 25


pytestmark = pytest.mark.usefixtures("wrapped")


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(n, marks=pytest.mark.standard) for n in range(BATCH, examples(300), BATCH))]
)
def test_after_a_fault_all_is_right_or_refused(first: int, baseline: Baseline) -> None:
    found = [each for number in range(first, first + BATCH) for each in _defects(number, baseline)]
    assert not found, "\n".join(found)


def _defects(number: int, baseline: Baseline) -> list[str]:
    judgment = judge(faulty(Random(number)), baseline)
    return [f"program {number}: {f.kind} ({f.where}): {f.detail}" for f in judgment.findings if f.verdict in DEFECTS]


@pytest.mark.standard
def test_most_faults_occur_and_are_of_every_kind(baseline: Baseline) -> None:
    kinds: Counter[str] = Counter()
    settings: Counter[str] = Counter()
    for seed in range(400):
        program = faulty(Random(seed))
        found = plan_of(program)
        assert found is not None
        kinds[found[1].kind] += judge(program, baseline).fired
        settings[found[1].setting] += 1
    assert set(kinds) == {"launch", "allocation", "callback", "bytecode", "signal", "floating"}
    assert kinds.total() > 200
    assert set(settings) == {"plain", "copying", "simulated", "recorded"}


def test_the_same_number_gives_the_same_program() -> None:
    assert faulty(Random(7)) == faulty(Random(7))
    assert plan_of(faulty(Random(7))) is not None


# ---- the judge can fail -----------------------------------------------------------------------------------------------

LEAF = Statement("leaf", out="a", args=((1.0, 2.0, 3.0, 4.0), "float64"))
DOUBLED = Statement("scale", ("a",), "x", (2.0, 0.0))
OTHER = Statement("scale", ("a",), "y", (3.0, 0.0))
BACKWARD = Statement("backward", ("x",), args=(True,))


def _failing(statement: Statement, moment: str, count: int = 1) -> Program:
    """`x = a.scale(2)`, and a statement in which the launch with this number fails."""
    plan = Plan("launch", count, MemoryError, moment)
    return Program((LEAF, DOUBLED, OTHER, BACKWARD, Faulty(**vars(statement), plan=plan)))


SINE = _failing(Statement("sin_", ("x",)), "half")
ORDINARY = _failing(Statement("sin", ("x",), "z"), "before")
SECOND_BACKWARD = _failing(BACKWARD, "half")


class _Refusing(Node):
    """Refuses every gradient."""

    kind = "Refusing"

    def __init__(self, before: Node) -> None:
        self.edges = (before,)
        number(self)

    def apply(self, g: object, wanted: object) -> list[None]:
        raise errors.StaleSavedTensorError("refused", Text("", ""), Text("", ""))


def _puts_the_version_back(names: dict[str, paddle.Tensor], before: session.State) -> None:
    names["x"].storage.version = before.tensors["x"].version


def _puts_the_history_back(names: dict[str, paddle.Tensor], before: session.State) -> None:
    doubled = names["a"].scale(2.0)
    names["x"].node, names["x"]._stop = doubled.node, False
    names["x"].storage.version = before.tensors["x"].version + 1


def _leaves_gradients_off(names: dict[str, paddle.Tensor], before: session.State) -> None:
    paddle.set_grad_enabled(False)


def _leaves_a_device(names: dict[str, paddle.Tensor], before: session.State) -> None:
    paddle.set_device("gpu", simulate=True)


def _lends(names: dict[str, paddle.Tensor], before: session.State) -> None:
    devices.CPU.ledger.lent += 8


def _counts_twice(names: dict[str, paddle.Tensor], before: session.State) -> None:
    devices.CPU.ledger.counted += 8


def _writes_elsewhere(names: dict[str, paddle.Tensor], before: session.State) -> None:
    names["y"].storage.buffer[0] = 7.0
    names["y"].storage.version += 1


def _refuses(names: dict[str, paddle.Tensor], before: session.State) -> None:
    names["y"].node = _Refusing(names["y"].node)


def _changes_a_gradient(names: dict[str, paddle.Tensor], before: session.State) -> None:
    gradient = names["a"].grad
    assert gradient is not None
    gradient.storage.buffer[0] = 0.0


def _forgets_the_gradient(names: dict[str, paddle.Tensor], before: session.State) -> None:
    names["a"].grad = None


Spoil = Callable[[dict[str, paddle.Tensor], session.State], None]


@pytest.mark.parametrize(
    ("program", "spoil", "verdict"),
    [
        (SINE, _puts_the_version_back, Verdict.WRONG),
        (SINE, _puts_the_history_back, Verdict.WRONG),
        (SINE, _writes_elsewhere, Verdict.WRONG),
        (SINE, _leaves_gradients_off, Verdict.LEFT),
        (SINE, _leaves_a_device, Verdict.LEFT),
        (SINE, _lends, Verdict.LEFT),
        (SINE, _counts_twice, Verdict.LEFT),
        (ORDINARY, _refuses, Verdict.NEEDLESS),
        (ORDINARY, _writes_elsewhere, Verdict.WRONG),
        (SECOND_BACKWARD, _changes_a_gradient, Verdict.WRONG),
        (SECOND_BACKWARD, _forgets_the_gradient, Verdict.WRONG),
    ],
)
def test_a_spoiled_engine_is_noticed(
    program: Program, spoil: Spoil, verdict: Verdict, baseline: Baseline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state after the fault is changed, as a worse engine would leave it."""
    assert judge(program, baseline).worst not in DEFECTS
    plain = session.FaultySession._event

    def spoiled(self: session.FaultySession, position: int, error: BaseException | None, before: session.State) -> None:
        spoil(self._names, before)
        plain(self, position, error, before)

    monkeypatch.setattr(session.FaultySession, "_event", spoiled)
    judgment = judge(program, baseline)
    assert judgment.fired
    assert judgment.worst is verdict, judgment.findings


def _raises_the_version_late(source: str) -> str:
    finish = "\n    if node is not None:\n"
    before, _, after = re.sub(r" *storage.version \+= 1\n", "", source, count=1).rpartition(finish)
    return f"{before}\n    storage.version += 1{finish}{after}"


def _finishes_the_history_early(source: str) -> str:
    return source.replace("UNFINISHED", "kept")


@pytest.mark.standard
@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (_raises_the_version_late, "the data changed, and the version did not"),
        (_finishes_the_history_early, "not refused"),
    ],
)
def test_a_spoiled_template_is_noticed(
    change: Callable[[str], str], kind: str, baseline: Baseline, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = template.source

    def source(row: Row, variant: str) -> str:
        text = plain(row, variant)
        changed = change(text) if variant == "in-place" else text
        assert variant != "in-place" or changed != text
        return changed

    monkeypatch.setattr(template, "source", source)
    for name, row in ROWS.items():
        if row.method and "in-place" in variants(row):
            monkeypatch.setattr(paddle.Tensor, name + "_", template.compiled(row, "in-place"))
    assert kind in {f.kind for number in range(60) for f in judge(faulty(Random(number)), baseline).findings}


def test_a_spoiled_backward_is_noticed(baseline: Baseline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_take_back", lambda *_: None)
    programs = [_failing(BACKWARD, "half", count) for count in range(1, 5)]
    assert Verdict.WRONG in {judge(program, baseline).worst for program in programs}


def test_what_was_partly_written_must_be_refused(baseline: Baseline) -> None:
    judgment = judge(SINE, baseline)
    assert judgment.understood == ("partly written",)
    assert judgment.unknown == judgment.refused == 1
    assert judgment.worst is Verdict.REFUSED
