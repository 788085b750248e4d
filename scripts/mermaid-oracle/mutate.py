#!/usr/bin/env python3
"""Damages the Mermaid diagrams of a folder: mutate.py FOLDER COUNT SEED. See README.md."""

import json
import random
import re
import sys
from pathlib import Path

TOKENS = [
    "\n", "\n", ";", ":", " ", ",", "#", "#35;", "%%", "%", "%%{init: {}}%%", "%%{wrap}%%", "{", "}",
    "()", "+", "-", "/", "\\", "|", "<", ">", "x", ")", "->", "->>", "-->>", "--x", "-)", "-x", "<<->>", "/|-", "\\\\-", "-|\\", "--//",
    "end", "end\n", "else ", "and x", "option", "alt a", "loop", "par x\n", "box", "box Aqua x\n",
    "rect rgb(1,2,3)\n", "participant ", "actor ", "create participant Z", "destroy A\n",
    "activate A\n", "deactivate A\n", "autonumber 1 2\n", "note over ", "Note right of A: x\n",
    " as ", "@{ \"type\": \"queue\" }", "@{", "title x", "title: y\n", "accTitle: z\n", "accDescr {",
    "accDescr: d", "<br/>", "wrap:", "A", "B", "1", "2.5 ", "A->>B: x\n", "A->>+B: x\n", "off", "over",
    "é", "\u00a0", "\t", "\r\n", "(", "/", "<b c=\"d\">", "links A: {}\n", "break\n", "critical c\n",
]


def damage(text, rng):
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        lines = text.split("\n")
        kind = rng.randrange(8)
        at = rng.randrange(len(lines))
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(rng.randrange(len(lines) + 1), lines[at])
        elif kind == 2:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        if kind < 3:
            text = "\n".join(lines)
            continue
        words = re.findall(r"\w+|\s+|[^\w\s]", text) or [""]
        at = rng.randrange(len(words))
        if kind == 3:
            del words[at]
        elif kind == 4:
            words.insert(at, rng.choice(words))
        else:
            words.insert(at, rng.choice(TOKENS))
        text = "".join(words)
    return text


def main():
    folder, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    files = sorted(Path(folder).glob("*.mmd"))
    for index in range(count):
        file = rng.choice(files)
        text = damage(file.read_bytes().decode("utf-8"), rng)
        print(json.dumps({"file": f"{file.stem}.{index}", "text": text}))


main()
