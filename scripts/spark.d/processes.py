"""The processes of Spark on this machine: executors to kill, and the memory they and their Pythons take."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import SparkSession


def processes() -> Iterator[tuple[int, str]]:
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            yield int(folder.name), (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")


def kill_executor(spark: SparkSession) -> None:
    """Ends one of the executors of this session at once."""
    own = f":{spark.conf.get('spark.driver.port')}"
    running = [(pid, command) for pid, command in processes() if "CoarseGrainedExecutorBackend" in command]
    os.kill([pid for pid, command in running if own in command][-1], signal.SIGKILL)


class Memory:
    """The most memory of the processes of Python that check, and of the executors, while it is open."""

    def __enter__(self) -> "Memory":
        self.worker = self.executor = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        return self

    def watch(self) -> None:
        while not self.over.wait(0.5):
            for pid, command in processes():
                size = resident(pid)
                if "pyspark.daemon" in command or "pyspark/daemon" in command:
                    self.worker = max(self.worker, size)
                elif "CoarseGrainedExecutorBackend" in command:
                    self.executor = max(self.executor, size)

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()

    def text(self) -> str:
        text = f"at most {self.worker / 2**20:.0f} MiB in a process of Python"
        if self.executor:
            text += f", {self.executor / 2**20:.0f} MiB in an executor's JVM"
        return text


def resident(pid: int) -> int:
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0
