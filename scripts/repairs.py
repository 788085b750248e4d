"""Our repairs and the optimal alignments of pm4py on random automata: see scripts/repairs."""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from pm4py.algo.conformance.alignments.petri_net import algorithm as alignments
from pm4py.objects.log.obj import Event, Trace
from pm4py.objects.petri_net.obj import Marking, PetriNet
from pm4py.objects.petri_net.utils import petri_utils

# The cost of a move that one side alone makes, in the units of pm4py.
MOVE = 10000


def random_automaton(dice):
    """States 0 to n-1, initial and final ones, and transitions; every state is of use."""
    while True:
        count = dice.randint(2, 7)
        letters = "abcde"[: dice.randint(1, 5)]
        transitions = {
            (dice.randrange(count), dice.choice(letters), dice.randrange(count))
            for _ in range(dice.randint(count, 3 * count))
        }
        finals = {state for state in range(count) if dice.random() < 0.3}
        reached = reach({0}, {(p, q) for p, _, q in transitions})
        useful = reached & reach(finals, {(q, p) for p, _, q in transitions})
        if 0 in useful:
            transitions = sorted(t for t in transitions if t[0] in useful and t[2] in useful)
            return sorted(useful), sorted(finals & useful), transitions, letters


def reach(states, edges):
    while True:
        more = states | {q for p, q in edges if p in states}
        if more == states:
            return states
        states = more


def timbuk(automaton):
    states, finals, transitions, letters = automaton
    lines = ["Ops " + " ".join(f"{letter}:1" for letter in letters) + " x:0", "Automaton random"]
    lines.append("States " + " ".join(f"q{state}" for state in states))
    lines.append("Final States " + " ".join(f"q{state}" for state in finals))
    lines += ["Transitions", "x -> q0"]
    lines += [f"{letter}(q{p}) -> q{q}" for p, letter, q in transitions]
    return "\n".join(lines) + "\n"


def petri_net(automaton):
    """A place for each state, a transition for each one of the automaton; silent ones to the end."""
    states, finals, transitions, _ = automaton
    net = PetriNet("random")
    places = {state: PetriNet.Place(f"q{state}") for state in [*states, "end"]}
    net.places.update(places.values())
    silent = [(state, None, "end") for state in finals]
    for number, (p, letter, q) in enumerate([*transitions, *silent]):
        transition = PetriNet.Transition(f"t{number}", letter)
        net.transitions.add(transition)
        petri_utils.add_arc_from_to(places[p], transition, net)
        petri_utils.add_arc_from_to(transition, places[q], net)
    return net, Marking({places[0]: 1}), Marking({places["end"]: 1})


def random_trace(dice, automaton):
    """A walk through the automaton with some edits, or anything."""
    _, finals, transitions, letters = automaton
    if dice.random() < 0.2:
        return [dice.choice(letters) for _ in range(dice.randint(0, 12))]
    state, trace = 0, []
    while len(trace) < 12 and not (state in finals and dice.random() < 0.3):
        steps = [t for t in transitions if t[0] == state]
        if not steps:
            break
        _, letter, state = dice.choice(steps)
        trace.append(letter)
    for _ in range(dice.randint(0, 4)):
        at = dice.randint(0, len(trace))
        if dice.random() < 0.5 and at < len(trace):
            del trace[at]
        else:
            trace.insert(at, dice.choice([*letters, "unknown"]))
    return trace


def ours(tools, folder, automaton, traces):
    spec, bundle, sessions = (folder / name for name in ("a.timbuk", "a.mtb", "s.jsonl"))
    spec.write_text(timbuk(automaton))
    location = "l=" + ",".join(automaton[3])
    command = [tools / "multitrace", "compile", spec, "-o", bundle, "--locations", location]
    subprocess.run(command, check=True, capture_output=True)
    lines = (json.dumps({"session": f"s{n}", "traces": {"l": t}}) for n, t in enumerate(traces))
    sessions.write_text("\n".join(lines) + "\n")
    command = [tools / "examples" / "repairs", bundle, sessions]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def theirs(automaton, traces):
    net, initial, final = petri_net(automaton)
    for trace in traces:
        events = Trace([Event({"concept:name": event}) for event in trace])
        alignment = alignments.apply_trace(events, net, initial, final)
        # Silent moves cost 1 each, so the remainder of a division is theirs.
        yield alignment["cost"] // MOVE, alignment["fitness"]


def main(tools, automata=200, traces=20, seed=1):
    dice = random.Random(int(seed))
    compared = equal = same_fitness = 0
    distances = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(int(automata)):
            automaton = random_automaton(dice)
            drawn = [random_trace(dice, automaton) for _ in range(int(traces))]
            repairs = ours(Path(tools), Path(folder), automaton, drawn)
            for trace, repair, (cost, fitness) in zip(drawn, repairs, theirs(automaton, drawn), strict=True):
                compared += 1
                distances[cost] = distances.get(cost, 0) + 1
                # 0/0, an empty trace that is accepted, is 1 here and 0 there.
                fitness = 1 if cost == 0 else fitness
                same_fitness += abs(repair["fitness"] - fitness) < 1e-9
                if repair["exact"] and repair["distance"] == cost:
                    equal += 1
                else:
                    print(f"unequal: {repair} and {cost}\n{timbuk(automaton)}{trace}")
    print(f"{compared} traces: {equal} distances equal, {compared - equal} unequal")
    print(f"{same_fitness} fitness values equal; distances: {dict(sorted(distances.items()))}")
    return int(equal != compared)


sys.exit(main(*sys.argv[1:]))
