"""The command line: `python -m multitrace`, and the script `multitrace`."""

from __future__ import annotations

import sys

from ._multitrace import run_command_line


def main() -> int:
    """Runs the command line with the arguments of the process. Returns its exit code."""
    return run_command_line(["multitrace", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
