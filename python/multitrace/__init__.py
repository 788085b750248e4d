"""Do these logs conform to this sequence diagram?

    import multitrace

    bundle = multitrace.compile("shop.hif")
    report = bundle.check("logs/*.jsonl")
    print(report)
    report.explain("s17").draw()

docs/python.md of the project describes all of it.
"""

from ._bundle import Bundle, Finding, OnlineSession, Verdict, compile, explain_mapping, load, local, merge
from ._comparing import Change, Comparison, compare
from ._errors import InputError, InputProblem, MultitraceError, ProblemPlace
from ._inputs import propose_mapping
from ._learnt import Evidence, Learnt, Outlier, learn
from ._multitrace import Table, __version__
from ._report import Drawing, Explanation, Faults, Report, Sessions, explain_code
from ._shapes import Group
from .testing import assert_conforms

__all__ = [
    "Bundle",
    "Change",
    "Comparison",
    "Drawing",
    "Evidence",
    "Explanation",
    "Faults",
    "Finding",
    "Group",
    "InputError",
    "InputProblem",
    "Learnt",
    "MultitraceError",
    "OnlineSession",
    "Outlier",
    "ProblemPlace",
    "Report",
    "Sessions",
    "Table",
    "Verdict",
    "__version__",
    "assert_conforms",
    "compare",
    "compile",
    "explain_code",
    "explain_mapping",
    "learn",
    "load",
    "local",
    "merge",
    "propose_mapping",
]
