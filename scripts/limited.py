"""Runs commands under hard limits of memory and of time."""

import resource
import subprocess
import tempfile
import time
from pathlib import Path


def run(command: list[object], memory: int, patience: float) -> tuple[int, str, float, int]:
    """The exit code, the output, the seconds and the peak of memory in KiB of a run with at most so many bytes of address
    space, that is killed after so many seconds."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    begin = time.perf_counter()
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen([str(part) for part in command], stdout=out, stderr=subprocess.STDOUT, preexec_fn=limit)
        peak = 0
        while child.poll() is None:
            peak = max(peak, resident(child.pid))
            if time.perf_counter() - begin > patience:
                child.kill()
            time.sleep(0.005)
        out.seek(0)
        return child.returncode, out.read(), time.perf_counter() - begin, peak


def resident(process: int) -> int:
    """The most memory that a process has held at once so far, in KiB."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    peak = next((line for line in status.splitlines() if line.startswith("VmHWM:")), "VmHWM: 0 kB")
    return int(peak.split()[1])
