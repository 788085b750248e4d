"""`learn` beside the miners of pm4py: miners.py MULTITRACE [--sessions N] [--wild EVERY] [--logs] [SPEC…].

From each specification, 2 N accepted sessions are generated, and one half is learnt from. The miners get each session as a word of
arrows, as they need a total order: emissions and receptions of one name are matched in their order, to oneself last, and of the orders that
the logs allow, one is taken, the same for equal sessions. What they find is read as an interaction: a sequence as `seq`, and so
on; a partial order that is neither a row nor a choice of parallel parts cannot be one, and counts as not learnt.

Fit: of the sessions learnt from, those that pass; held out: of the others; precision: of 100 sessions generated from the
learnt, those that the specification accepts. Equal: `diff` proves it. Means over the specifications that all learn. Of real logs,
one half of the sessions is learnt from; nobody knows the specification, so that a small one stands for precision: arrows counts them.
"""

import argparse
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import warnings
from collections import defaultdict, deque
from pathlib import Path

# It greets whoever imports it.
with contextlib.redirect_stdout(sys.stderr):
    import pandas as pd
    import pm4py
    from pm4py.objects.powl.obj import OperatorPOWL, StrictPartialOrder
    from pm4py.objects.process_tree.obj import Operator

warnings.filterwarnings("ignore")
SECONDS = 120


def quoted(name):
    return json.dumps(name, ensure_ascii=False)


def arrow(label):
    """The text of an arrow or an end of one in `.hif`."""
    sender, message, receiver = label
    if receiver is None:
        return f"{quoted(sender)} -- {quoted(message)} ->|"
    start = "" if sender is None else f"{quoted(sender)} -- "
    return f"{start}{quoted(message)} -> {quoted(receiver)}"


def events(session):
    """The logs of a session, each a list of lifeline, direction and message."""
    logs = []
    for log in session["traces"].values():
        logs.append([])
        for text in log:
            at = min(at for at in (text.find("!"), text.find("?")) if at >= 0)
            logs[-1].append((text[:at].strip('"'), text[at], text[at + 1 :]))
    return logs


def word(session):
    """A session as a word of arrows."""
    logs = events(session)
    ends = defaultdict(lambda: (deque(), deque()))
    for log, of in enumerate(logs):
        for at, (_, direction, message) in enumerate(of):
            ends[message][direction == "?"].append((log, at))
    other = {}
    for sent, received in ends.values():
        for one in sent:
            # To oneself only if no other can receive it.
            two = next((it for it in received if it[0] != one[0]), next(iter(received), None))
            if two:
                received.remove(two)
                other[one], other[two] = two, one
    at, arrows = [0] * len(logs), []
    while True:
        fronts = [(log, at[log]) for log in range(len(logs)) if at[log] < len(logs[log])]
        if not fronts:
            return tuple(arrows)
        ready = {}
        for log, index in fronts:
            lifeline, direction, message = logs[log][index]
            pair = other.get((log, index))
            if pair is None:
                label = (lifeline, message, None) if direction == "!" else (None, message, lifeline)
                ready[label] = [(log, index)]
            elif direction == "!" and pair in fronts and pair[0] != log:
                ready[(lifeline, message, logs[pair[0]][pair[1]][0])] = [(log, index), pair]
        if not ready:
            # Messages cross, so one of them is taken apart.
            pair = other.pop(fronts[0])
            other.pop(pair)
            continue
        label = min(ready, key=str)
        arrows.append(label)
        for log, _ in ready[label]:
            at[log] += 1


def operator(name, parts):
    parts = [part for part in parts if part != "o"] if name != "alt" else parts
    return "o" if not parts else parts[0] if len(parts) == 1 else f"{name}({', '.join(parts)})"


def loop(body, redo):
    return operator("seq", [body, f"loopW({operator('seq', [redo, body])})"])


def of_tree(tree, labels):
    """A process tree as an interaction."""
    if tree.operator is None:
        return arrow(labels[tree.label]) if tree.label else "o"
    parts = [of_tree(child, labels) for child in tree.children]
    if tree.operator == Operator.LOOP:
        return loop(parts[0], parts[1])
    return operator({Operator.SEQUENCE: "seq", Operator.XOR: "alt", Operator.PARALLEL: "par"}[tree.operator], parts)


def of_powl(model, labels):
    """A partially ordered workflow as an interaction; `ValueError` if it cannot be one."""
    if isinstance(model, StrictPartialOrder):
        return of_order(list(model.children), model.order, labels)
    if isinstance(model, OperatorPOWL):
        parts = [of_powl(child, labels) for child in model.children]
        return loop(parts[0], parts[1]) if model.operator == Operator.LOOP else operator("alt", parts)
    return arrow(labels[model.label]) if model.label else "o"


def of_order(nodes, order, labels):
    if len(nodes) == 1:
        return of_powl(nodes[0], labels)
    ordered = lambda a, b: order.is_edge(a, b) or order.is_edge(b, a)
    groups = components(nodes, ordered)
    if len(groups) > 1:
        return operator("par", [of_order(group, order, labels) for group in groups])
    groups = components(nodes, lambda a, b: not ordered(a, b))
    if len(groups) == 1:
        raise ValueError("neither a row nor parallel parts")
    groups.sort(key=lambda group: sum(order.is_edge(other, group[0]) for other in nodes))
    return operator("seq", [of_order(group, order, labels) for group in groups])


def components(nodes, joined):
    groups = []
    for node in nodes:
        near = [group for group in groups if any(joined(node, other) for other in group)]
        groups = [group for group in groups if group not in near]
        groups.append([node] + [other for group in near for other in group])
    return groups


def table(words):
    names, rows = {}, []
    for case, of in enumerate(words):
        for at, label in enumerate(of):
            names[str(label)] = label
            rows.append((str(case), str(label), pd.Timestamp("2026-01-01") + pd.Timedelta(seconds=at)))
    frame = pd.DataFrame(rows, columns=["case", "activity", "time"])
    return pm4py.format_dataframe(frame, case_id="case", activity_key="activity", timestamp_key="time"), names


class Tool:
    def __init__(self, path, folder):
        self.path, self.folder = path, Path(folder)

    def run(self, *arguments):
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True, timeout=SECONDS)
        return done.returncode, done.stdout

    def sessions(self, spec, count, seed, loops):
        code, out = self.run("generate", spec, "--kind", "accepted", "--duplicates", "-n", count, "--seed", seed,
                             "--max-loops", loops, "--min-events", 0, "--output-format", "json-lines")
        return [json.loads(line) for line in out.splitlines()] if code == 0 else []

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def passing(self, spec, sessions):
        log = self.file("check.jsonl", "".join(json.dumps(it) + "\n" for it in sessions))
        _, out = self.run("check", spec, log, "--output-format", "json")
        return json.loads(out)["summary"]["pass"] / max(len(sessions), 1)

    def logged(self, logs, mapping):
        """The sessions of event logs."""
        code, out = self.run("sessions", *logs, "--events", mapping)
        return [json.loads(line) for line in out.splitlines()] if code == 0 else []

    def measured_alone(self, learnt, train, test):
        text = learnt.read_text(encoding="utf-8")
        return self.passing(learnt, train), self.passing(learnt, test), text.count("->")

    def measured(self, true, learnt, train, test):
        made = self.sessions(learnt, 100, 7, 3)
        code, out = self.run("diff", true, learnt, "--output-format", "json-lines")
        # Sessions have no labels, so that none is learnt: the answer would be that labels differ.
        summary = json.loads(out.splitlines()[-1])
        is_equal = all(summary[way]["answer"] == "proved" for way in ("old_in_new", "new_in_old"))
        return self.passing(learnt, train), self.passing(learnt, test), self.passing(true, made), is_equal


def ours(tool, train):
    log = tool.file("train.jsonl", "".join(json.dumps(it) + "\n" for it in train))
    out = tool.folder / "ours.hif"
    code, _ = tool.run("learn", log, "--all", "--quiet", "-o", out)
    if code != 0:
        raise ValueError("not learnt")
    return out


def mined(tool, train):
    log, names = table([word(it) for it in train])
    tree = pm4py.discover_process_tree_inductive(log, noise_threshold=0.0)
    return tool.file("tree.hif", of_tree(tree, names))


def powl(tool, train):
    log, names = table([word(it) for it in train])
    return tool.file("powl.hif", of_powl(pm4py.discover_powl(log), names))


WAYS = {"`learn`": ours, "inductive miner": mined, "POWL": powl}


LOGS = {
    "OpenStack": ("openstack/OpenStack_2k.log", "examples/openstack/boot.toml"),
    "shop of Nezha": ("nezha/online-boutique-17_00.csv", "examples/shop/shop.toml"),
    "TLS handshakes": ("tls", "examples/tls/tls.toml"),
}


def corpus():
    path = Path(os.environ.get("MULTITRACE_CORPUS", "../shared/corpus"))
    if not path.is_dir():
        print(f"skipped: no corpus at {path} (set MULTITRACE_CORPUS)", file=sys.stderr)
        return None
    return path


def halves(sessions):
    random.Random(0).shuffle(sessions)
    return sessions[: len(sessions) // 2], sessions[len(sessions) // 2 :]


def tried(what, way, learn):
    try:
        return learn()
    except Exception as error:
        print(f"{what}: {way}: {type(error).__name__}: {error}"[:200], file=sys.stderr)
        return None


def specifications(tool, specs, count, title):
    results = {way: {} for way in WAYS}
    sessions = {spec: tool.sessions(spec, 2 * count, 1, 5) for spec in specs}
    # Without messages, there is nothing to learn.
    specs = [spec for spec in specs if any(any(it["traces"].values()) for it in sessions[spec])]
    for spec in specs:
        train, test = halves(sessions[spec])
        for way, learn in WAYS.items():
            found = tried(spec, way, lambda: tool.measured(spec, learn(tool, train), train, test))
            if found:
                results[way][spec] = found
    common = [spec for spec in specs if all(spec in found for found in results.values())]
    print(f"{count} sessions of each of {len(specs)} {title}; pm4py {pm4py.__version__}\n")
    print(f"| | learnt | fit | held out | precision | equal | (means over the {len(common)} that all learn)")
    print("|---|---|---|---|---|---|---|")
    for way, found in results.items():
        mean = lambda at: sum(found[spec][at] for spec in common) / max(len(common), 1)
        shares = " | ".join(f"{100 * mean(at):.1f} %" for at in range(3))
        print(f"| {way} | {len(found)} | {shares} | {sum(found[spec][3] for spec in common)} | |")
    print()


def real_logs(tool, folder):
    print("| log | sessions learnt from | | fit | held out | arrows |")
    print("|---|---|---|---|---|---|")
    for name, (log, mapping) in LOGS.items():
        log = folder / "events" / log
        logs = sorted(log.glob("*.jsonl")) if log.is_dir() else [log]
        train, test = halves(tool.logged(logs, mapping))
        for way, learn in WAYS.items():
            found = tried(name, way, lambda: tool.measured_alone(learn(tool, train), train, test))
            cells = "| | |" if found is None else f"{100 * found[0]:.1f} % | {100 * found[1]:.1f} % | {found[2]} |"
            print(f"| {name} | {len(train)} | {way} | {cells}")
    print()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("multitrace")
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--wild", type=int, metavar="EVERY", help="each so many of the corpus' Mermaid diagrams")
    parser.add_argument("--logs", action="store_true", help="the real logs of the corpus")
    parser.add_argument("specs", nargs="*", type=Path)
    arguments = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(arguments.multitrace, folder)
        found = corpus() if arguments.wild or arguments.logs else None
        if found and arguments.wild:
            wild = sorted((found / "diagrams" / "mermaid").glob("*.mmd"))[:: arguments.wild]
            specifications(tool, wild, arguments.sessions, "Mermaid diagrams of the corpus")
        if found and arguments.logs:
            real_logs(tool, found)
        if arguments.specs or not (arguments.wild or arguments.logs):
            specs = arguments.specs or sorted(Path("examples").rglob("*.hif"))
            specifications(tool, specs, arguments.sessions, "specifications")


if __name__ == "__main__":
    main()
