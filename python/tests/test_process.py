"""The package as a process: its command line, Ctrl-C, and threads beside it."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import multitrace
import pytest
from conftest import EXAMPLES, command_line

SPEC = str(EXAMPLES / "mqtt/mqtt.hif")
LOGS = str(EXAMPLES / "mqtt/sessions.jsonl")


def test_the_command_line_is_the_tool() -> None:
    done = command_line(["check", SPEC, LOGS])
    assert done.returncode == 1 and "MT113" in done.stdout
    assert command_line(["check", SPEC, "missing"]).returncode == 2
    assert command_line(["--version"]).stdout == f"multitrace {multitrace.__version__}\n"
    script = Path(sys.executable).with_name("multitrace")
    assert subprocess.run([script, "--version"], capture_output=True, check=True).stdout


def test_the_command_line_ends_on_an_interrupt() -> None:
    with subprocess.Popen([sys.executable, "-m", "multitrace", "check", SPEC, "-"], stdin=subprocess.PIPE) as run:
        time.sleep(1.0)
        run.send_signal(signal.SIGINT)
        assert run.wait(10) == 130


LONG = """
import multitrace, sys
bundle = multitrace.compile({spec!r})
line = {{"session": "s", "traces": {{"publisher": ["publisher!open"] * 20_000, "broker": [], "subscriber": []}}}}
rows = [dict(line, session=f"s{{n}}") for n in range(2_000)]
print("begin", flush=True)
try:
    bundle.check(rows, engine="term", threads=1)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(7)
"""


def seconds_to_end(code: str, after: float) -> float:
    """How long a program takes to end that gets Ctrl-C this many seconds after it began its work."""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "begin\n"
        time.sleep(after)
        begin = time.monotonic()
        run.send_signal(signal.SIGINT)
        assert (run.stdout.readline(), run.wait(20)) == ("interrupted\n", 7)
        return time.monotonic() - begin


def test_ctrl_c_ends_a_check() -> None:
    assert seconds_to_end(LONG.format(spec=SPEC), 1.5) < 15


COMPILING = """
import multitrace, sys
spec = "par(" + ", ".join(f"a -- m{n} -> b" for n in range(30)) + ")"
print("begin", flush=True)
try:
    multitrace.compile(spec, limit_states=2_000_000_000)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(7)
"""


def test_ctrl_c_ends_a_compilation() -> None:
    assert seconds_to_end(COMPILING, 0.5) < 2


UNCOPIED = """
import multitrace, pyarrow, resource
message = "ping" * 25
bundle = multitrace.compile(f"loopS(a -- {message} -> b)")
many, each = 4_000, 500
ends = pyarrow.array(range(0, many * each + 1, each), pyarrow.int32())
words = pyarrow.array(["a!" + message] * each * 100)
words = pyarrow.concat_arrays([words] * (many // 100))
table = pyarrow.table({
    "session": [f"s{n}" for n in range(many)],
    "location": ["a"] * many,
    "actions": pyarrow.ListArray.from_arrays(ends, words),
})
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
bundle.check(table.slice(0, 100), observe="prefix", threads=1)
before = peak()
assert bundle.check(table, observe="prefix", threads=1, sessions=False).outcome == "clean"
print(table.nbytes, peak() - before)
"""


def test_a_table_of_arrow_is_not_copied() -> None:
    """Checking takes far less memory than the table has: a number for each action, and no text."""
    done = subprocess.run([sys.executable, "-c", UNCOPIED], capture_output=True, text=True, check=True)
    size, grown = map(int, done.stdout.split())
    assert size > 100_000_000 and grown < size / 5


NULLS = """
import multitrace, pyarrow, resource
bundle = multitrace.compile("a -- m -> b")
rows = 300_000
names, text, null = [f"s{{n}}" for n in range(rows)], ["a"] * rows, pyarrow.nulls(rows, pyarrow.string())
columns = {{"session": names, "location": text, "actions": text, {column!r}: null}}
table = pyarrow.table({{name: pyarrow.array(column, pyarrow.string()) for name, column in columns.items()}})
direction = {{"field": "actions", "emission": "a", "reception": "b"}}
event = {{"session": "session", "lifeline": "location", "message": "location", "direction": direction}}
events = {events}
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
bundle.check(table.slice(0, 100), events=events, errors="report", threads=1)
before = peak()
report = bundle.check(table, events=events, errors="report", threads=1)
print(len(report.problems), report.summary["errors"], peak() - before)
"""


@pytest.mark.parametrize("column", ["session", "location", "actions"])
@pytest.mark.parametrize("events", ["None", "{'event': event}"])
def test_many_problems_are_counted_and_not_kept(column: str, events: str) -> None:
    """A problem takes half a kilobyte."""
    done = subprocess.run([sys.executable, "-c", NULLS.format(column=column, events=events)], capture_output=True, text=True)
    told, count, grown = map(int, done.stdout.split())
    assert (told, count) == (100, 300_000) and grown < 300_000 * 300, (grown, done.stderr)


def test_other_threads_run_while_it_checks(mqtt: multitrace.Bundle) -> None:
    """The lock of the interpreter is free: a thread that counts goes on."""
    line = {"session": "s", "traces": {"publisher": ["publisher!open"] * 2_000, "broker": [], "subscriber": []}}
    rows = [dict(line, session=f"s{number}") for number in range(200)]
    counts, stop = [0], threading.Event()

    def count() -> None:
        while not stop.is_set():
            counts[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    before = counts[0]
    begin = time.monotonic()
    mqtt.check(rows)
    seconds, counted = time.monotonic() - begin, counts[0] - before
    stop.set()
    thread.join()
    assert counted >= min(10, seconds / 0.005), (counted, seconds)


def test_several_threads_check_at_once(mqtt: multitrace.Bundle) -> None:
    results: list[int] = []
    work = [
        threading.Thread(target=lambda: results.append(mqtt.check(LOGS, threads=1).summary["fail"]))
        for _ in range(8)
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert results == [6] * 8


THREADLESS = """
import multitrace, threading
try:
    threading.Thread(target=print).start()
except RuntimeError:
    bundle = multitrace.compile({spec!r})
    report = bundle.check({logs!r}, threads=8)
    report.explain("stopped-early").draw()
    learnt = multitrace.learn({logs!r}, threads=8)
    assert not multitrace.compare({logs!r}, {logs!r}).has_new_or_gone
    mapping = {{"event": {{"session": "session", "lifeline": "verdict", "message": "verdict", "direction": "emission"}}}}
    try:
        list(bundle.check_stream(report.sessions, events=mapping))
    except multitrace.MultitraceError as error:
        print(report.summary["fail"], learnt.sessions, error)
"""


def limited(code: str) -> "subprocess.CompletedProcess[str]":
    """Runs a program whose user may have no second thread. The limit does not hold for root, who becomes somebody else that may read
    the files of root."""
    other = "setpriv --reuid=64321 --clear-groups --inh-caps=+dac_override --ambient-caps=+dac_override".split()
    command = ["prlimit", "--nproc=1", sys.executable, "-c", code]
    return subprocess.run([*(other if os.getuid() == 0 else []), *command], capture_output=True, text=True)


@pytest.mark.skipif(shutil.which("setpriv") is None or shutil.which("prlimit") is None, reason="needs setpriv and prlimit")
def test_threads_that_cannot_be_started_are_done_without() -> None:
    if limited("import multitrace").returncode != 0:
        pytest.skip("the package is not readable for others")
    done = limited(THREADLESS.format(spec=SPEC, logs=LOGS))
    assert done.stdout.startswith("6 8 a stream needs a thread, and the system starts none"), done.stderr


def test_the_number_of_threads_has_a_limit() -> None:
    for run in (multitrace.learn, lambda logs, threads: multitrace.compare(logs, logs, threads=threads)):
        with pytest.raises(multitrace.MultitraceError, match="threads=1025 is too many; a run has at most 1024"):
            run(LOGS, threads=1025)
        with pytest.raises(multitrace.MultitraceError, match="threads: 0 is not a whole number"):
            run(LOGS, threads=0)


def test_progress_is_told(mqtt: multitrace.Bundle, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    mqtt.check(LOGS, progress=True)
    mqtt.check(LOGS)
    assert "Traceback" not in capfd.readouterr().err


def test_nothing_is_left_behind(mqtt: multitrace.Bundle, tmp_path: Path) -> None:
    folder = tmp_path / "read-only"
    folder.mkdir()
    mqtt.save(folder / "a.mtb")
    assert os.listdir(folder) == ["a.mtb"]


def test_a_file_that_cannot_be_written_is_named(mqtt: multitrace.Bundle, tmp_path: Path) -> None:
    path = tmp_path / "folder"
    (path / "in").mkdir(parents=True)
    with pytest.raises(IsADirectoryError) as raised:
        mqtt.save(path)
    error = raised.value
    assert (error.errno, error.strerror) == (errno.EISDIR, os.strerror(errno.EISDIR))
    assert error.filename == str(path)
