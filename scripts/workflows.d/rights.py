"""Fails if a job that may write, or that has an identity (id-token: write), uses an action that no hash pins."""

import re
import sys

import ruamel.yaml

PINNED = re.compile(r"^[^@]+@[0-9a-f]{40}$")
# Comments on a pull request and findings change nothing that others install.
HARMLESS = {"pull-requests", "security-events", "checks", "issues"}


def writes(permissions: object) -> bool:
    if isinstance(permissions, str):
        return permissions == "write-all"
    return any(right == "write" and name not in HARMLESS for name, right in (permissions or {}).items())


def unpinned(path: str) -> list:
    with open(path, encoding="utf-8") as file:
        workflow = ruamel.yaml.YAML(typ="safe").load(file)
    found = []
    for name, job in workflow.get("jobs", {}).items():
        if not writes(job.get("permissions", workflow.get("permissions"))):
            continue
        steps = [step["uses"] for step in job.get("steps", []) if "uses" in step]
        uses = steps + ([job["uses"]] if "uses" in job else [])
        found += [f"{path}: {name}: {action}" for action in uses if not action.startswith("./") and not PINNED.match(action)]
    return found


found = [line for path in sys.argv[1:] for line in unpinned(path)]
print("\n".join(f"{line} is not pinned by a hash, and its job may write" for line in found), end="\n" if found else "")
sys.exit(bool(found))
