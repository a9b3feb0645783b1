"""Tests of `DataParallel`, and of `check_replicas`, which finds replicas that have drifted apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.distributed.ranks import needs_mpi, run

pytestmark = needs_mpi
on_many = pytest.mark.parametrize("ranks", [1, 2, 4])

_TRAINING = """
def network(seed):
    paddle.seed(seed)
    paddle.set_default_dtype("float64")
    return paddle.nn.Sequential(paddle.nn.Linear(3, 8), paddle.nn.Tanh(), paddle.nn.Linear(8, 1))

def loss_of(model, x, y):
    return ((model(paddle.to_tensor(x)) - paddle.to_tensor(y)) ** 2).mean()

def bits(model):
    return [each.numpy().tobytes().hex() for each in model.state_dict().values()]
"""


@on_many
def test_training_has_the_same_bits_as_one_process_that_goes_through_the_parts(ranks: int, tmp_path: Path) -> None:
    """And the joined batch, computed at once, differs by roundings only."""
    ran = run(
        _TRAINING
        + """
draw = np.random.default_rng(5)
x, y = draw.normal(size=(5, 8, 3)), draw.normal(size=(5, 8, 1))
part = slice(rank * 8 // ranks, (rank + 1) * 8 // ranks)
replica = dist.DataParallel(network(seed=rank))
one, joined = network(seed=0), network(seed=0)
optimizers = [paddle.optimizer.Adam(0.05, parameters=each.parameters()) for each in (replica, one, joined)]
for step in range(5):
    loss_of(replica, x[step, part], y[step, part]).backward()
    for k in range(ranks):
        each = slice(k * 8 // ranks, (k + 1) * 8 // ranks)
        loss_of(one, x[step, each], y[step, each]).backward()
    with paddle.no_grad():
        for parameter in one.parameters():
            parameter.grad.divide_(paddle.to_tensor(float(ranks), dtype="float64"))
    loss_of(joined, x[step], y[step]).backward()
    for optimizer in optimizers:
        optimizer.step(); optimizer.clear_grad()
tell(bits(replica) == bits(one))
tell(max(float(np.abs(a.numpy() - b.numpy()).max()) for a, b in zip(replica.parameters(), joined.parameters())))
tell(bits(replica) == bits(joined))
tell(bits(replica))
tell(bool(dist.check_replicas(replica)))
""",
        ranks,
        tmp_path,
    )
    assert ran.status == 0, ran.errors
    for same, farthest, same_as_joined, _, equal in ran.told:
        assert same
        assert farthest < 1e-13
        assert same_as_joined or ranks > 1
        assert equal
    assert len({str(told[3]) for told in ran.told}) == 1


@on_many
def test_training_has_the_same_bits_as_the_joined_batch_where_no_sum_is_rounded(ranks: int, tmp_path: Path) -> None:
    """Numbers of few bits: a float64 holds all sums of these steps exactly, in whatever order they are computed."""
    ran = run(
        _TRAINING
        + """
draw = np.random.default_rng(6)
x, y = draw.integers(-4, 5, size=(3, 8, 3)) / 4.0, draw.integers(-4, 5, size=(3, 8, 1)) / 2.0
part = slice(rank * 8 // ranks, (rank + 1) * 8 // ranks)
def linear():
    paddle.set_default_dtype("float64")
    layer = paddle.nn.Linear(3, 1)
    if rank == 0:
        layer.weight.set_value(np.array([[0.5], [-0.25], [1.0]]))
    return layer
joined = paddle.nn.Linear(3, 1); joined.weight.set_value(np.array([[0.5], [-0.25], [1.0]], "float32")); joined = joined.astype("float64")
replica = dist.DataParallel(linear())
optimizers = [paddle.optimizer.SGD(0.125, parameters=each.parameters()) for each in (replica, joined)]
for step in range(3):
    for model, which in ((replica, part), (joined, slice(None))):
        loss_of(model, x[step, which], y[step, which]).backward()
    for optimizer in optimizers:
        optimizer.step(); optimizer.clear_grad()
tell(bits(replica) == bits(joined))
tell(float(np.abs(joined.weight.numpy()).max()))
""",
        ranks,
        tmp_path,
    )
    assert ran.status == 0, ran.errors
    for same, size in ran.told:
        assert same
        assert size > 0


@on_many
def test_gradients_of_several_backwards_are_averaged_once(ranks: int, tmp_path: Path) -> None:
    ran = run(
        """
        layer = paddle.nn.Linear(1, 1)
        model = dist.DataParallel(layer)
        number = float(rank + 1)
        with model.no_sync():
            model(paddle.to_tensor([[number]])).sum().backward()
        tell(layer.weight.grad.item())
        model(paddle.to_tensor([[10 * number]])).sum().backward()
        tell(layer.weight.grad.item())
        tell([model.state_dict().keys() == layer.state_dict().keys(), len(model.parameters())])
        model.eval(); tell(layer.training)
        """,
        ranks,
        tmp_path,
    )
    average = sum(range(1, ranks + 1)) / ranks
    for rank, (alone, both, state, training) in enumerate(ran.told):
        assert alone == rank + 1
        assert both == 11 * average
        assert state == [True, 2]
        assert training is False


@pytest.mark.parametrize("ranks", [2, 4])
def test_replicas_of_different_layers_are_refused_on_all_ranks(ranks: int, tmp_path: Path) -> None:
    ran = run(
        """
        tell(refusal(dist.DataParallel, paddle.nn.Linear(2, 3 if rank == 0 else 4)))
        tell(refusal(dist.check_replicas, paddle.nn.Linear(2, 3 if rank == 0 else 4)))
        tell(refusal(dist.DataParallel, paddle.nn.Linear(2, 2), find_unused_parameters=True))
        """,
        ranks,
        tmp_path,
    )
    assert len({told[0] for told in ran.told}) == 1
    assert "weight: float32[2, 3]" in ran.told[0][0]
    assert "weight: float32[2, 4]" in ran.told[0][0]
    assert "check_replicas" in ran.told[0][1]
    assert "find_unused_parameters" in ran.told[0][2]


_DRIFT = """
def trained(extra, where=1, steps=3):
    layer = paddle.nn.Linear(2, 1)
    with paddle.record() as rec:
        model = dist.DataParallel(layer)
        optimizer = paddle.optimizer.SGD(0.1, parameters=model.parameters())
        for step in range(steps):
            model(paddle.ones([2, 2]) * float(rank + 1)).sum().backward()
            optimizer.step()
            optimizer.clear_grad()
            if rank == where and step == 1:
                with paddle.no_grad():
                    extra(layer)
    return model, rec.recording

def found(model, recording=None):
    report = dist.check_replicas(model, recording)
    return [bool(report), str(report), [
        [each.name, each.kind, each.versions, each.agreeing, [w and [w.code, w.op] for w in each.writes]] for each in report.drifts
    ]]
"""


CLIPPED = "tell(found(*trained(lambda layer: layer.weight.clip_(-0.1, 0.1))))  # one line too many"
SCALED = "tell(found(*trained(lambda layer: layer.weight.scale_(1.0))))  # that changes nothing, but the version"


@pytest.mark.parametrize("ranks", [2, 4])
def test_the_drift_detector_names_the_tensor_and_the_line_on_each_rank(ranks: int, tmp_path: Path) -> None:
    ran = run(
        _DRIFT
        + f"""
tell(found(*trained(lambda layer: None)))  # no drift
{CLIPPED}
{SCALED}
tell(found(trained(lambda layer: layer.bias.zero_())[0]))  # not recorded
paddle.set_language("zh")
tell(found(*trained(lambda layer: layer.bias.zero_())))
""",
        ranks,
        tmp_path,
    )
    assert ran.status == 0, ran.errors
    assert all(told == ran.told[0] for told in ran.told), "the same on all ranks"
    equal, clipped, scaled, unrecorded, chinese = ran.told[0]
    others = [0, 2, 3][: ranks - 1]
    assert equal == [True, f"All values and versions are the same: 2 tensors on {ranks} ranks.", []]
    ((name, kind, versions, agreeing, writes),) = clipped[2]
    assert (name, kind, agreeing) == ("weight", "values", [others, [1]])
    assert versions == [5 if rank == 1 else 4 for rank in range(ranks)]
    assert writes[1] == [CLIPPED, "clip_"]
    assert [writes[rank] for rank in others] == [["optimizer.step()", "subtract_"]] * len(others)
    assert f"`{CLIPPED}` (`clip_`)" in clipped[1]
    ((name, kind, _, _, writes),) = scaled[2]
    assert (name, kind, writes[1]) == ("weight", "version", [SCALED, "scale_"])
    assert unrecorded[2][0][0] == "bias"
    assert unrecorded[2][0][4] == []
    assert "give `check_replicas` the recordings of all ranks" in unrecorded[1]
    assert "`bias` 已经不一致" in chinese[1]


@pytest.mark.parametrize("ranks", [2, 4])
def test_the_tensor_that_drifted_first_is_named_first(ranks: int, tmp_path: Path) -> None:
    """A buffer that only one rank updates makes the outputs differ, and then everything."""
    ran = run(
        _DRIFT
        + """
tell(found(*trained(lambda layer: (layer.bias.zero_(), layer.weight.zero_()))))
layer = paddle.nn.Linear(2, 1)                  # made from other random numbers on each rank, and not broadcast
with paddle.no_grad():
    layer.bias.add_(paddle.to_tensor([float(rank)]))
    with paddle.record() as rec:
        layer.weight.fill_(1.0)
        layer.bias.scale_(2.0)
tell(found(layer, rec.recording))
""",
        ranks,
        tmp_path,
    )
    assert ran.status == 0, ran.errors
    both, before = ran.told[0]
    assert [each[0] for each in both[2]] == ["bias", "weight"]
    ((name, _, _, agreeing, writes),) = before[2]
    assert name == "bias"
    assert agreeing == [[rank] for rank in range(ranks)]
    assert "so the ranks may have differed before it" in before[1]
    assert len(writes) == ranks
