"""Tests real processes: whatever a script does and whatever stops it, the page is whole, and the script's status and output are its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inplacelab.cli import main
from inplacelab.recording import codec
from tests.forked import Forks, forks
from tests.subtests import for_each

ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))}
HEAD = "import os, signal, sys, time, threading\nimport inplacelab as paddle\nx = paddle.ones([2])\nx.scale_(2.)\n"
WROTE = "wrote page.json: 4 steps\n"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and pipes of Unix")


def started(*words: str, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "inplacelab", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True} | options
    return subprocess.Popen(command, text=True, env=ENVIRONMENT, **pipes)


@pytest.fixture(scope="module")
def forked() -> Iterator[Forks]:
    with forks() as running:
        yield running


Recorded = Callable[..., tuple[int, str, str]]


@pytest.fixture
def recorded(forked: Forks) -> Recorded:
    """Runs a script under `record`. Returns its status, and what it printed."""

    def recorded(script: str, output: str = "page.json") -> tuple[int, str, str]:
        Path("script.py").write_text(HEAD + script, encoding="utf-8")
        done = forked.run("record", "script.py", "-o", output)
        return done.returncode, done.stdout, done.stderr

    return recorded


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def _ctrl_c_is_not_ignored() -> Iterator[None]:
    """A process that a shell starts in the background ignores Ctrl-C, and so do the processes that it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def no_remains() -> bool:
    """Whether nothing but the script and pages are there."""
    return {each.name for each in Path().iterdir()} <= {"script.py", "page.json", "page.html", "other"}


ENDS = {
    "it changes the folder": ("os.mkdir('other'); os.chdir('other')", 0, ""),
    "it changes its arguments": ("sys.argv[:] = []; del sys.argv", 0, ""),
    "it closes its output": ("sys.stdout.close()", 0, ""),
    "it has no output": ("sys.stdout = None", 0, ""),
    "it has no errors": ("sys.stderr = None", 0, ""),
    "it leaves with a word": ("sys.exit('bye')", 1, "bye\n"),
    "it leaves with a status": ("sys.exit(7)", 7, ""),
    "it leaves with what cannot be printed": (
        "class Bad:\n    def __str__(self): raise ValueError\nsys.exit(Bad())", 1, "",
    ),
    "a thread leaves": ("t = threading.Thread(target=sys.exit, args=(3,)); t.start(); t.join()", 0, ""),
    "a thread goes on": ("threading.Thread(target=time.sleep, args=(1,)).start()", 0, ""),
    "it forks": ("sys.stdout.flush()\nif os.fork() == 0: sys.exit(3)\nprint(os.WEXITSTATUS(os.wait()[1]))", 0, ""),
    "a child is stopped": (
        "ready, say = os.pipe()\npid = os.fork()\n"
        "if pid == 0:\n    os.write(say, b'.')\n    time.sleep(30)\n    os._exit(0)\n"  # Python drops a signal that comes with the fork
        "os.read(ready, 1)\nos.kill(pid, signal.SIGTERM)\nprint(os.WTERMSIG(os.wait()[1]))", 0, "",
    ),
    "Ctrl-C": ("os.kill(os.getpid(), signal.SIGINT)\ntime.sleep(30)", 130, "KeyboardInterrupt\n"),
    "Ctrl-C, and again while it cleans up": (
        "try:\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(30)\n"
        "finally:\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(30)", 130, "KeyboardInterrupt\n",
    ),
    "SIGTERM": ("os.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(30)", 143, ""),
}  # fmt: skip


@pytest.mark.standard
@for_each("case", list(ENDS.items()), ids=lambda case: case[0])
def test_a_script_may_end_in_any_way(case: tuple[str, tuple[str, int, str]], recorded: Recorded) -> None:
    _, (script, status, says) = case
    Path("page.json").unlink(missing_ok=True)
    done, out, err = recorded(script)
    assert (done, out) == (status, {"it forks": "3\n", "a child is stopped": "15\n"}.get(case[0], ""))
    assert err.endswith(f"{says}wrote page.json: {len(codec.load('page.json'))} steps\n"), err
    assert err.count("wrote") == 1
    assert "Traceback" not in err or says == "KeyboardInterrupt\n"
    assert no_remains()
    for folder in Path().glob("other"):
        folder.rmdir()


@pytest.mark.standard
def test_interrupts_while_the_page_is_made_leave_a_whole_page() -> None:
    Path("script.py").write_text(
        HEAD + "for k in range(400): x.scale_(0.5)\nprint('done', flush=True)\n", encoding="utf-8"
    )
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        with started("record", "script.py", "-o", "page.html") as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline() == "done\n"
            while process.poll() is None and not Path("page.html").exists():
                time.sleep(0.02)
                process.send_signal(number)
            said = process.stderr.read()
        assert process.returncode in (status, -number), said
        assert Path("page.html").read_text(encoding="utf-8").endswith("</html>\n")
        assert no_remains()
        Path("page.html").unlink()


@pytest.mark.standard
def test_a_pipe_that_is_closed_ends_quietly(recorded: Recorded) -> None:
    recorded("for k in range(200): x.scale_(0.5)")
    for form in ("txt", "json"):
        reading, writing = os.pipe()
        process = started("show", "page.json", "--format", form, "-o", "-", stdout=writing)
        os.close(reading)
        os.close(writing)
        assert process.communicate(timeout=60)[1] == ""
        assert process.returncode == 141
    command = f"'{sys.executable}' -m inplacelab show page.json -o - >&-"
    closed = subprocess.run(command, shell=True, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert (closed.returncode, closed.stderr) == (2, "inplacelab show: cannot write -: Bad file descriptor\n")


@pytest.mark.standard
def test_an_output_that_is_impossible_is_refused_before_the_script_runs(recorded: Recorded) -> None:
    os.mkdir("other")
    for output, why in [
        ("none/page.html", "No such file or directory"),
        ("other", "Is a directory"),
        ("script.py/page.html", "No such file or directory"),
        ("x" * 300 + ".html", "File name too long"),
    ]:
        assert recorded("print('ran')", output) == (2, "", f"inplacelab record: cannot write {output}: {why}\n")
    assert recorded("print('ran')", "script.py") == (
        2,
        "",
        "inplacelab record: the output is the script itself: script.py\n",
    )
    removed = recorded("os.rmdir('other')", "other/page.json")
    assert removed == (2, "", "inplacelab record: cannot write other/page.json: No such file or directory\n")


@pytest.mark.standard
def test_a_bad_file_is_refused_with_a_sentence(recorded: Recorded, capsys: pytest.CaptureFixture[str]) -> None:
    recorded("")
    good = Path("page.json").read_bytes()
    os.mkfifo("pipe")
    Path("link").symlink_to("link")
    bad = {
        "empty": b"", "zeros": b"\0" * 999, "bytes": b"\xff\xfe" + good, "marked": b"\xef\xbb\xbf" + good, "half": good[:-9],
        "deep": b"[" * 100_000, "digits": b"9" * 5000, "nan": b"NaN", "surrogate": good.replace(b'"title":"', b'"title":"\\ud800'),
        "twice": good.replace(b'"title"', b'"title":"","title"'), "later": good.replace(b'"schema":4', b'"schema":99'),
        "shape": good.replace(b'"shape":[2]', b'"shape":[2147483648]'), "escape": good.replace(b'"index"', b'"\\u001b]0;x\\u0007"'),
    }  # fmt: skip
    for name, content in bad.items():
        Path(name).write_bytes(content)
    with Path("huge").open("wb") as file:
        file.truncate(2**33)
    for name in [*bad, "huge", "pipe", "link", "/dev/zero", ".", "missing"]:
        status = main(["show", name, "-o", "-"])
        out, err = capsys.readouterr()
        assert (status in (1, 2), out) == (True, ""), name
        assert err.startswith(f"inplacelab show: cannot read {name}: "), err
        assert err.count("\n") == 1
        assert err[:-1].isprintable()
    assert json.loads(good)["schema"] == 4


CHILDREN = """
child = os.fork()
if not child:
    os._exit(3)
os.waitpid(child, 0)
import multiprocessing
process = multiprocessing.get_context("fork").Process(target=print, args=("in a child",))
process.start()
process.join()
"""


LEAVES = ("os._exit(3)", "from os import _exit; _exit(3)")


@pytest.fixture(scope="module")
def kept_back() -> str:
    """What Python itself prints of a text that is not flushed: it may be lost."""
    script = f"import os\nprint('kept back', end='')\n{LEAVES[0]}\n"
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize(
    "command", [["record", "-o", "page.json"], ["explain"], ["explain", "--framework", "torch"]], ids=" ".join
)
def test_a_script_that_leaves_at_once_is_said_to_and_its_children_are_not(command: list[str], kept_back: str) -> None:
    if "torch" in command:
        pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    with forks(*(word for word in command if word == "torch")) as forked:
        Path("script.py").write_text(HEAD + CHILDREN, encoding="utf-8")
        done = forked.run(*command, "script.py")
        assert (done.returncode, done.stdout) == (0, "in a child\n")
        assert "os._exit" not in done.stderr
        for leaves in LEAVES:
            Path("script.py").write_text(f"{HEAD}print('kept back', end='')\n{leaves}\n", encoding="utf-8")
            done = forked.run(*command, "script.py")
            assert (done.returncode, done.stdout) == (3, kept_back)
            assert done.stderr.count("\n") == 1
            assert done.stderr.startswith(
                "The script left by `os._exit(3)`, which ends the process at once: nothing could be explained"
            )
            assert "`sys.exit(3)`" in done.stderr


def test_leaving_at_once_after_the_script_is_nothing_to_say(recorded: Recorded) -> None:
    status, _, err = recorded("import atexit\nfrom os import _exit\natexit.register(_exit, 5)\n")
    assert (status, "os._exit" in err) == (5, False)
    assert codec.load("page.json")


HANGS = """\
import os, subprocess, sys, time, torch
a = torch.ones(3, requires_grad=True)
h = a.exp()
h.add_(1)
if not os.path.exists("here"):
    child = subprocess.Popen(["sleep", "300"])
    with open(sys.argv[1], "w") as file:
        print(os.getpid(), child.pid, file=file)
    time.sleep(300)
h.sum().backward()
"""


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{process}/stat")  # a process that nobody has waited for is still there, but does not run
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.oracle
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, None])
def test_a_trial_that_hangs_is_ended_with_what_it_has_started(number: signal.Signals | None, tmp_path: Path) -> None:
    """The page and the script's status are as they would be without a trial."""
    pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    folder, told = tmp_path / "program", tmp_path / "pids"
    folder.mkdir()
    (folder / "script.py").write_text(HANGS, encoding="utf-8")
    (tmp_path / "here").touch()
    seconds = "600" if number is not None else "10"
    words = ("explain", "--try", "--seconds", seconds, "-o", "page.html", "program/script.py", str(told))
    with started(*words) as process:
        while process.poll() is None and not (told.exists() and told.read_text().endswith("\n")):
            time.sleep(0.1)
        if number is not None:
            process.send_signal(number)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    why = "No fix was tried: the search was interrupted." if number else "the script was ended after 10 seconds"
    assert why in err, err
    assert Path("page.html").read_text(encoding="utf-8").endswith("</html>\n")
    given_up = time.monotonic() + 30
    while any(map(is_running, map(int, told.read_text().split()))) and time.monotonic() < given_up:
        time.sleep(0.1)
    assert not [each for each in told.read_text().split() if is_running(int(each))]
