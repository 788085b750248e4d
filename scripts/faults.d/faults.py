"""Effects of faults of the world on outputs: faults.py MULTITRACE KILLS SEED. Prints each try and its result."""

import importlib.util
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SPEC = "examples/mqtt/mqtt.hif"
# Compiling takes a while: every interleaving of three operands on the same lifelines.
LARGE = "par(" + ", ".join(
    "seq(" + ", ".join(f"p -- m{at}{number} -> q" for number in range(5)) + ")" for at in range(3)
) + ")"
OLD = b"what was here before\n"
HIDDEN = ".multitrace-"


@dataclass(frozen=True)
class Job:
    """A command whose output is the file `out` in its folder."""

    name: str
    command: list[str]
    code: int


def main() -> None:
    tool, kills, seed = Path(sys.argv[1]).resolve(), int(sys.argv[2]), int(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        jobs = jobs_of(tool, made)
        failed = [kill(job, kills // len(jobs), seed + at, made) for at, job in enumerate(jobs)]
        others = [full_disk, full_disk_of_spills, read_only_folder, read_error, changing_input, replaced_bundle]
        failed += [other(tool, made) for other in others]
    sys.exit(1 if any(failed) else 0)


def jobs_of(tool: Path, made: Path) -> list[Job]:
    large = made / "large.hif"
    large.write_text(LARGE)
    bundle, lines, parts = made / "mqtt.mtb", made / "sessions.jsonl", made / "parts"
    run(tool, "compile", SPEC, "-o", bundle)
    generate = run(tool, "generate", SPEC, "--kind", "accepted", "-n", "2000")
    wrong = run(tool, "generate", SPEC, "--kind", "noise", "-n", "200")
    lines.write_bytes(many(generate.stdout + wrong.stdout, 100))
    parts.mkdir()
    for at in range(8):
        part = ("--output-format", "partial", "--output-file", parts / f"{at}.part", "--shard", f"{at}/8")
        run(tool, "check", bundle, lines, *part, codes=(0, 1))
    jobs = [
        Job("compile", [str(tool), "compile", str(large), "-o", "out"], 0),
        Job("check", [str(tool), "check", str(bundle), str(lines), "--output-format", "json-lines", "--output-file", "out"], 1),
        Job("merge", [str(tool), "merge", str(parts), "--output-format", "html", "--output-file", "out"], 1),
    ]
    if importlib.util.find_spec("multitrace") is None:
        print("note: no Python package; PYTHON names an interpreter that has it")
        return jobs
    code = f"import multitrace; multitrace.load({str(bundle)!r}).check({str(lines)!r}).write('out', 'json')"
    return [*jobs, Job("the Python package", [sys.executable, "-c", code], 0)]


def many(lines: bytes, times: int) -> bytes:
    """Sessions that differ in their names."""
    return b"".join(lines.replace(b'"session":"', b'"session":"%d-' % at) for at in range(times))


def run(tool: Path, *arguments: object, codes: tuple[int, ...] = (0,)) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run([tool, *map(str, arguments)], capture_output=True, check=False)
    assert done.returncode in codes, (arguments, done.returncode, done.stderr[-500:])
    return done


def start(job: Job, folder: Path) -> subprocess.Popen[bytes]:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(job.command, cwd=folder, **quiet)


def kill(job: Job, kills: int, seed: int, made: Path) -> bool:
    """Kills a job at random times, and says whether an output was torn or something stayed behind."""
    chance, counts = random.Random(seed), {"old": 0, "absent": 0, "whole": 0, "torn": 0}
    folder = made / "killed"
    folder.mkdir()
    out = folder / "out"
    begin = time.perf_counter()
    assert start(job, folder).wait() == job.code, job
    seconds, whole = time.perf_counter() - begin, timeless(out.read_bytes())
    hit, tries, most_left = 0, 0, 0
    while hit < kills:
        tries += 1
        out.unlink(missing_ok=True)
        if chance.random() < 0.5:
            out.write_bytes(OLD)
        process = start(job, folder)
        time.sleep(chance.uniform(0, seconds))
        hit += process.poll() is None
        process.kill()
        process.wait()
        content = timeless(out.read_bytes()) if out.exists() else None
        kinds = {None: "absent", OLD: "old", whole: "whole"}
        counts[kinds.get(content, "torn")] += 1
        most_left = max(most_left, len(left(folder)))
    assert start(job, folder).wait() == job.code
    stays = left(folder)
    shutil.rmtree(folder)
    print(f"{job.name}: {hit} of {tries} killed while it ran ({seconds:.2f} s), outputs {counts}; at most {most_left} left behind between two runs, {len(stays)} after the last")
    return counts["torn"] > 0 or bool(stays)


def timeless(content: bytes) -> bytes:
    """A report without what it says of the run that made it."""
    return re.sub(rb'"(seconds|peak_bytes)": ?[0-9.e-]+', b"", content)


def left(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir() if entry.name.startswith(HIDDEN)]


@contextmanager
def mounted(options: str, made: Path):
    """A small file system of its own; `None` where that is not allowed."""
    folder = made / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]
    is_there = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    if not is_there:
        print(f"note: a file system with {options} cannot be mounted here, so what it tests is skipped")
    try:
        yield folder if is_there else None
    finally:
        if is_there:
            subprocess.run(["umount", folder], check=True)
        folder.rmdir()


def refused(what: str, done: subprocess.CompletedProcess[bytes], says: str) -> bool:
    error = done.stderr.decode(errors="replace")
    line = next((line for line in error.splitlines() if line.startswith("error")), "no word")
    is_right = done.returncode == 2 and says in line
    print(f"{what}: exit code {done.returncode}, {line}")
    return not is_right


def full_disk(tool: Path, made: Path) -> bool:
    """Outputs on a disk of 64 KiB."""
    commands = {
        "compile": ["compile", made / "large.hif", "-o", "{}/out"],
        "check": ["check", made / "mqtt.mtb", made / "sessions.jsonl", "--output-format", "json-lines", "--output-file", "{}/out"],
        "merge": ["merge", made / "parts", "--output-format", "html", "--output-file", "{}/out"],
        "generate, new folder": ["generate", SPEC, "--kind", "accepted", "-n", "1000", "--output-format", "htf", "-o", "{}/new"],
        "generate, empty folder": ["generate", SPEC, "--kind", "accepted", "-n", "1000", "--output-format", "htf", "-o", "{}/empty"],
    }
    failed = False
    for name, command in commands.items():
        with mounted("size=64k,nr_inodes=100", made) as disk:
            if disk is None:
                return False
            (disk / "empty").mkdir()
            arguments = [str(part).format(disk) for part in command]
            done = subprocess.run([tool, *arguments], capture_output=True, check=False)
            failed |= refused(f"full disk, {name}", done, "No space left")
            stays = [path.name for path in disk.rglob("*") if path.name != "empty"]
            if stays:
                print(f"full disk, {name}: {stays} stay")
                failed = True
    return failed


def full_disk_of_spills(tool: Path, made: Path) -> bool:
    """Event logs that are too large for memory, and no room for the rest."""
    events, mapping = made / "events.jsonl", made / "events.toml"
    mapping.write_text('[event]\nsession = "s"\nlifeline = "l"\nmessage = "m"\ndirection = { field = "d", emission = "!", reception = "?" }\n')
    with events.open("w") as file:
        for at in range(100_000):
            file.write(f'{{"s":"{at % 5000}","l":"broker","m":"open","d":"?"}}\n')
    with mounted("size=64k", made) as disk:
        if disk is None:
            return False
        command = [tool, "check", SPEC, events, "--events", mapping, "--memory", "1MiB"]
        done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "TMPDIR": str(disk)})
        return refused("full disk of temporary files", done, "No space left")


def read_only_folder(tool: Path, made: Path) -> bool:
    with mounted("size=64k,ro", made) as disk:
        if disk is None:
            return False
        done = subprocess.run([tool, "compile", SPEC, "-o", disk / "out"], capture_output=True, check=False)
        return refused("read-only folder", done, "Read-only")


def read_error(tool: Path, made: Path) -> bool:
    """The memory of a process cannot be read from its beginning."""
    failed = False
    for name, arguments in {"log": [SPEC, "/proc/self/mem"], "specification": ["/proc/self/mem", made / "sessions.jsonl"]}.items():
        done = subprocess.run([tool, "check", *arguments], capture_output=True, check=False)
        failed |= refused(f"read error, {name}", done, "/proc/self/mem")
    return failed


def changing_input(tool: Path, made: Path) -> bool:
    """A log that is cut off or written to while it is read gives a verdict or an error, and never a crash."""
    chance, codes, log = random.Random(1), {}, made / "changing.jsonl"
    content = (made / "sessions.jsonl").read_bytes()
    for at in range(40):
        log.write_bytes(content)
        process = subprocess.Popen([tool, "check", made / "mqtt.mtb", log], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, 0.1))
        if at % 2:
            os.truncate(log, chance.randrange(len(content)))
        else:
            with log.open("ab") as file:
                file.write(content[: chance.randrange(100_000)])
        code = process.wait()
        codes[code] = codes.get(code, 0) + 1
    print(f"input that changes while it is read: exit codes {codes}")
    return not set(codes) <= {0, 1, 2}


def replaced_bundle(tool: Path, made: Path) -> bool:
    """A bundle that is replaced, or cut off, while a check runs changes nothing that it says."""
    bundle, lines = made / "replaced.mtb", made / "sessions.jsonl"
    content, other = (made / "mqtt.mtb").read_bytes(), b"no bundle"
    command = [tool, "check", bundle, lines, "--output-format", "json-lines"]
    bundle.write_bytes(content)
    usual = timeless(subprocess.run(command, capture_output=True, check=False).stdout)
    differing = 0
    for at in range(20):
        bundle.write_bytes(content)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        first = process.stdout.readline()
        if at % 2:
            bundle.write_bytes(other)
        else:
            (made / "new.mtb").write_bytes(other)
            os.replace(made / "new.mtb", bundle)
        differing += timeless(first + process.stdout.read()) != usual
        process.wait()
    print(f"bundle replaced while a check runs: {differing} of 20 differ")
    return differing > 0


main()
