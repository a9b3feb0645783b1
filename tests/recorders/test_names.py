"""Names: looking at what has changed finds what looking at everything finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import inplacelab as paddle
from inplacelab.recorders.names import Names

NAMES = ("x", "y", "z")
STATEMENTS = st.one_of(
    st.builds("{} = paddle.ones([1])".format, st.sampled_from(NAMES)),
    st.builds("{} = {}".format, st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.builds("{} = {}.scale(2.)".format, st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.builds("{}, {} = {}, {}".format, *[st.sampled_from(NAMES)] * 4),
    st.builds("{}.zero_()".format, st.sampled_from(NAMES)),
    st.builds("{} = [{}, {}]; {} = {}[1]".format, st.just("w"), *[st.sampled_from(NAMES)] * 3, st.just("w")),
    st.builds("w = {}[:1]; del w".format, st.sampled_from(NAMES)),
    st.builds("w = {}".format, st.sampled_from(("None", "1.5", "'word'", "paddle"))),
)


def _called(recorded: Any) -> list[set[tuple[str, ...]]]:
    states = recorded.recording.states()
    return [{tensor.names for tensor in state.tensors.values()} for state in states]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(statements=st.lists(STATEMENTS, min_size=3, max_size=12))
def test_a_change_is_found_as_a_look_everywhere_finds_it(run: Callable[..., Any], statements: list[str]) -> None:
    start = [f"{name} = paddle.ones([{k + 1}])[:1]" for k, name in enumerate(NAMES)]
    text = "\n".join(start + statements) + "\n"
    quick = _called(run(text))
    simple, Names._look_again = Names._look_again, lambda *_: False  # type: ignore[method-assign]
    try:
        thorough = _called(run(text))
    finally:
        Names._look_again = simple  # type: ignore[method-assign]
    assert quick == thorough


def test_a_name_that_an_old_tensor_has_lost() -> None:
    kept = []
    with paddle.record() as block:
        x = paddle.ones([2])
        kept.append(x)
        x = x * 2
        x.zero_()
    assert block.recording is not None
    names = [t.names for t in block.recording.state(-1).tensors.values()]
    assert ("x",) in names
    assert names.count(("x",)) == 1
