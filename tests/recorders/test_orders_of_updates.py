"""Where an update of parameters comes between forward and backward, two fixes are honest: the same updates in another order, or another training."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from inplacelab.recorders.fix_search import Outcome
from inplacelab.recorders.updates import LARGEST, MOST, Updates, brief, in_some_order
from inplacelab.recording.fixes.proposals import proposals
from inplacelab.recording.fixes.spots import Spot, Trail, changed

GAN = """import torch
for step in range(2):
    fake = gen(noise())
    score = disc(fake)
    loss_d = (disc(real()) - 1).square().mean() + score.square().mean()
    loss_g = (score - 1).square().mean()
    opt_d.zero_grad()
    loss_d.backward(retain_graph=True)
    opt_d.step()
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
"""


def at(text: str, code: str, function_line: int = 0, **known: object) -> Spot:
    """Returns the spot of a line of code."""
    line = next(k for k, each in enumerate(text.splitlines(), 1) if each.strip() == code and k > function_line)
    return Spot("a.py", line, line, **known)  # type: ignore[arg-type]


def trail(text: str, kept: str, written: str, needed: str, *around: tuple[str, str]) -> Trail:
    write, need = [at(text, written, updates=True, names=("disc.0.weight",))], [at(text, needed)]
    for outer_write, outer_need in around:
        write.append(at(text, outer_write))
        need.append(at(text, outer_need))
    return Trail("stale", kept=(at(text, kept),), writes=(tuple(write),), needed=tuple(need))


def programs(text: str, way: str, *given: Trail) -> list[str]:
    """Returns the program with each fix of one way."""
    found = [each for each in proposals(given, lambda _: text) if each.way == way]
    return [changed(each.edits, lambda _: text)["a.py"][1] for each in found]


def in_order(text: str, *lines: str) -> bool:
    places = [text.index(each) for each in lines]
    return places == sorted(places)


def test_the_statements_of_one_optimizer_move_below_those_of_the_other() -> None:
    found = programs(GAN, "reorder", trail(GAN, "score = disc(fake)", "opt_d.step()", "loss_g.backward()"))
    lines = (
        "loss_g.backward(retain_graph=True)",
        "opt_g.step()",
        "opt_d.zero_grad()",
        "loss_d.backward()",
        "opt_d.step()",
    )
    assert in_order(found[0], *lines)


def test_a_pass_may_compute_only_the_gradients_that_it_is_for() -> None:
    text = "opt_g = torch.optim.Adam(gen.parameters())\n" + GAN
    found = programs(text, "reorder", trail(text, "score = disc(fake)", "opt_d.step()", "loss_g.backward()"))
    only = "loss_g.backward(inputs=list(gen.parameters()))"
    assert [
        each
        for each in found
        if only in each and in_order(each, "loss_d.backward(retain_graph=True)", only, "opt_d.step()")
    ]


def test_the_parameters_of_an_optimizer_whose_making_is_not_known_are_those_of_its_groups() -> None:
    found = programs(GAN, "reorder", trail(GAN, "score = disc(fake)", "opt_d.step()", "loss_g.backward()"))
    assert any('inputs=[p for group in opt_g.param_groups for p in group["params"]]' in each for each in found)


def test_paddle_has_no_such_argument() -> None:
    text = GAN.replace("torch", "paddle")
    found = programs(text, "reorder", trail(text, "score = disc(fake)", "opt_d.step()", "loss_g.backward()"))
    assert found
    assert not any("inputs=" in each for each in found)


def test_what_nothing_needs_before_the_update_is_computed_only_after_it() -> None:
    (found,) = programs(GAN, "again", trail(GAN, "score = disc(fake)", "opt_d.step()", "loss_g.backward()"))
    assert found.count("score = disc(fake)\n") == 2
    assert found.count("loss_g = ") == 1
    assert in_order(found, "opt_d.step()", "loss_g = ", "loss_g.backward()")


def test_all_parameters_of_an_optimizer_are_new_after_its_step() -> None:
    text = GAN.replace(
        "import torch\n", "import torch\nopt_d = torch.optim.SGD([*gen.parameters(), *disc.parameters()], 0.1)\n"
    )
    (found,) = programs(text, "again", trail(text, "score = disc(fake)", "opt_d.step()", "loss_g.backward()"))
    assert found.count("fake = gen(noise())\n") == found.count("score = disc(fake)\n") == 2
    assert in_order(found[found.index("opt_d.step()") :], "fake = gen(noise())", "score = disc(fake)", "loss_g = ")


HELPER = """def update(optim, loss):
    optim.zero_grad()
    loss.backward()
    optim.step()

for step in range(3):
    loss_c = critic(obs()).mean()
    loss_a = -critic(actor(obs())).mean()
    update(opt_c, loss_c)
    update(opt_a, loss_a)
"""


def test_the_calls_of_a_helper_change_places() -> None:
    mine = trail(
        HELPER,
        "loss_a = -critic(actor(obs())).mean()",
        "optim.step()",
        "loss.backward()",
        ("update(opt_c, loss_c)", "update(opt_a, loss_a)"),
    )
    first, *_ = programs(HELPER, "reorder", mine)
    assert in_order(first, "update(opt_a, loss_a)", "update(opt_c, loss_c)")
    (later,) = programs(HELPER, "again", mine)
    assert in_order(later, "update(opt_c, loss_c)", "loss_a = ", "update(opt_a, loss_a)")


@pytest.mark.parametrize("text", [GAN, HELPER])
def test_no_copy_is_proposed_where_parameters_were_updated(text: str) -> None:
    mine = (
        trail(GAN, "score = disc(fake)", "opt_d.step()", "loss_g.backward()")
        if text is GAN
        else trail(
            HELPER,
            "loss_a = -critic(actor(obs())).mean()",
            "optim.step()",
            "loss.backward()",
            ("update(opt_c, loss_c)", "update(opt_a, loss_a)"),
        )
    )
    found = proposals([mine], lambda _: text)
    assert found
    assert not [each.says.en for each in found if "clone" in each.says.en or "copy" in each.says.en]


RECURRENT = """import torch
opt = torch.optim.SGD(net.parameters(), lr=0.1)
h = start()
for k in range(3):
    h = net(h)
    loss = h.sum()
    loss.backward(retain_graph=True)
    opt.step()
"""


def test_a_state_that_leads_to_the_turn_before_is_detached() -> None:
    given = trail(RECURRENT, "h = net(h)", "opt.step()", "loss.backward(retain_graph=True)")
    assert not programs(RECURRENT, "reorder", given)
    (found,) = programs(RECURRENT, "again", given)
    assert in_order(found, "for k in", "    h = h.detach()\n", "    h = net(h)\n")
    assert "loss.detach()" not in found


EPOCHS = """import torch
old = policy(states).log()
opt = torch.optim.SGD(policy.parameters(), lr=0.1)
for epoch in range(3):
    loss = (old * weight).mean()
    loss.backward(retain_graph=True)
    opt.step()
"""


def test_what_is_computed_before_a_loop_that_updates_is_computed_in_each_turn() -> None:
    given = replace(
        trail(EPOCHS, "old = policy(states).log()", "opt.step()", "loss.backward(retain_graph=True)"),
        kept=(at(EPOCHS, "old = policy(states).log()"),),
    )
    given = replace(given, writes=((replace(given.writes[0][0], names=("policy.0.weight",)),),))
    (found,) = programs(EPOCHS, "again", given)
    assert in_order(found, "for epoch in", "    old = policy(states).log()\n", "    loss = ")
    assert found.count("torch.optim.SGD") == 1  # the optimizer goes on with its state


# --- comparing ---------------------------------------------------------------------------------------------------------


def update(gradient: float, parameter: float) -> dict[str, np.ndarray]:
    return {"gradient 0": np.array([gradient]), "parameter 0": np.array([parameter])}


def outcome(*updates: dict[str, np.ndarray], losses: tuple[float, ...] = (1.0, 2.0)) -> Outcome:
    return Outcome(passes=[{"loss 0": np.array(each)} for each in losses], updates=updates)


def test_updates_in_another_order_are_the_same() -> None:
    meant = outcome(update(1, 2), update(3, 4))
    assert outcome(update(3, 4), update(1, 2), losses=(2.0, 1.0)).reorders(meant)
    assert not outcome(update(3, 4), update(1, 2), losses=(2.0, 1.5)).reorders(meant)
    assert not outcome(update(3, 4)).reorders(meant)
    assert not outcome().reorders(outcome())


def test_an_update_with_the_gradient_of_another_loss_in_it_is_another_one() -> None:
    meant = outcome(update(1, 2), update(3, 4))
    polluted = outcome(update(1.5, 2), update(3, 4))  # the first step of Adam leaves nearly the same parameters
    assert not polluted.reorders(meant)
    assert not polluted.gives(meant)


def test_only_what_comes_before_the_first_update_has_to_be_the_same_in_another_training() -> None:
    assert outcome(update(1, 2), update(5, 6)).renews(outcome(update(1, 2), update(3, 4)))
    assert not outcome(update(5, 6), update(3, 4)).renews(outcome(update(1, 2), update(3, 4)))


def test_equal_updates_count_as_often_as_they_occur() -> None:
    one, other = update(1, 2), update(3, 4)
    assert in_some_order([one, other, one], [other, one, one])
    assert not in_some_order([one, other, other], [other, one, one])


def test_of_large_tensors_some_elements_and_the_sum_are_kept() -> None:
    array = np.arange(3.0 * LARGEST)
    assert brief(array).size <= LARGEST + 1
    assert brief(array)[-1] == array.sum()


def test_too_many_updates_are_not_compared() -> None:
    found = Updates()
    for _ in range(MOST + 1):
        if found.has_room:
            found.add([np.zeros(1)], [np.ones(1)])
    assert len(found.found) == MOST
    assert not found.is_whole


@pytest.mark.parametrize("between", ["average(disc, copy)", "self.average()", "norm = disc[0].weight.norm()"])
def test_no_update_moves_below_what_may_read_its_parameters(between: str) -> None:
    text = GAN.replace("    opt_d.step()\n", f"    opt_d.step()\n    {between}\n")
    found = programs(text, "reorder", trail(text, "score = disc(fake)", "opt_d.step()", "loss_g.backward()"))
    assert all(in_order(each, "opt_d.step()", between) for each in found)
