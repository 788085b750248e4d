"""The package as a process: its command line, Ctrl-C, and threads beside it."""

from __future__ import annotations

import errno
import os
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
    assert done.returncode == 1 and "MT103" in done.stdout
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


def test_ctrl_c_ends_a_check() -> None:
    code = LONG.format(spec=SPEC)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "begin\n"
        time.sleep(1.5)
        begin = time.monotonic()
        run.send_signal(signal.SIGINT)
        assert (run.stdout.readline(), run.wait(20)) == ("interrupted\n", 7)
        assert time.monotonic() - begin < 15


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
