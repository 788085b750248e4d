"""Writes what checkers of files cannot reach into files: the blocks of YAML in docs/ci.md, by what they are for, and the
commands of workflows and of the action, as shell scripts.

extract.py FOLDER
"""

import re
import sys
from pathlib import Path

from ruamel.yaml import YAML

# Commands of a step stand in for what GitHub puts there before a shell sees it.
EXPRESSION = re.compile(r"\$\{\{.*?\}\}", re.DOTALL)


def kind(block):
    """The tool that reads such a block."""
    if "on" in block and "jobs" in block:
        return "workflows"
    if "repos" in block:
        return "pre-commit"
    if all("script" in job for job in block.values()):
        return "gitlab"
    raise SystemExit(f"docs/ci.md: a block of YAML for no tool that is checked: {', '.join(block)}")


def blocks(page):
    """The blocks of YAML in a page, as texts."""
    return re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def steps(document):
    """The steps of a workflow or of an action."""
    if "runs" in document:
        yield from document["runs"]["steps"]
    for job in document.get("jobs", {}).values():
        yield from job.get("steps", [])


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main():
    folder = Path(sys.argv[1])
    # YAML 1.2, in which `on` is a name.
    yaml = YAML(typ="safe")
    for number, text in enumerate(blocks(Path("docs/ci.md").read_text())):
        write(folder, f"{kind(yaml.load(text))}/ci-{number}.yml", text)
    texts = [Path("action.yml"), *Path(".github/workflows").glob("*.yml"), *folder.glob("workflows/*.yml")]
    for path in texts:
        for number, step in enumerate(steps(yaml.load(path.read_text()))):
            if "run" in step and step.get("shell", "bash") == "bash":
                script = EXPRESSION.sub("expression", step["run"])
                write(folder, f"shell/{path.stem}-{number}.sh", f"#!/usr/bin/env bash\nset -eo pipefail\n{script}\n")


main()
