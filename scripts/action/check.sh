#!/usr/bin/env bash
# Runs `multitrace check` with annotations and SARIF: the second step of action.yml.
#
# Every input of the action comes as a variable INPUT_…, never as a part of this text, and becomes one argument or one
# argument a line. So no name is split at its blanks, and none is run. The names do not begin with MULTITRACE_, since the
# tool takes options from such variables.
set -euo pipefail

fail() {
    local text=${1//%/%25}
    text=${text//$'\r'/%0D}
    echo "::error title=multitrace::${text//$'\n'/%0A}"
    exit 2
}

# Puts the lines of $1 that are not empty into the array `lines`.
lines_of() {
    lines=()
    local line
    while IFS= read -r line || [[ -n $line ]]; do
        # A workflow with line ends of Windows.
        line=${line%$'\r'}
        [[ -z $line ]] || lines+=("$line")
    done <<<"$1"
}

# Refuses several lines where one value is expected: GITHUB_OUTPUT has a line for each output.
one_line() {
    [[ $2 != *[$'\n\r']* ]] || fail "$1: one line, please"
}

one_line spec "$INPUT_SPEC"
one_line events "$INPUT_EVENTS"
one_line baseline "$INPUT_BASELINE"
one_line sarif-file "$INPUT_SARIF_FILE"
case $INPUT_FAIL in
    true | false) ;;
    *) fail "fail: true or false, and not \"$INPUT_FAIL\"" ;;
esac

arguments=(check --output-format github)
[[ -z $INPUT_SARIF_FILE ]] || arguments+=(--output-format sarif "--output-file=$INPUT_SARIF_FILE")
[[ -z $INPUT_EVENTS ]] || arguments+=("--events=$INPUT_EVENTS")
[[ -z $INPUT_BASELINE ]] || arguments+=("--baseline=$INPUT_BASELINE")
lines_of "$INPUT_ARGS"
# The odd expansion: an empty array is an unset variable for the bash of macOS, which is 3.2.
arguments+=(${lines[@]+"${lines[@]}"} --)
# Without a specification or inputs, multitrace.toml says them.
[[ -z $INPUT_SPEC ]] || arguments+=("$INPUT_SPEC")
lines_of "$INPUT_INPUTS"
arguments+=(${lines[@]+"${lines[@]}"})

# What a run before this one left is not a result of this one.
[[ -z $INPUT_SARIF_FILE ]] || rm -f -- "$INPUT_SARIF_FILE"
# Annotations are commands, and come on standard output. Messages may quote logs, so nothing in them is a command: between
# these lines the runner obeys none, and no log can guess the word that ends them.
code=0
messages=$(mktemp)
trap 'rm -f -- "$messages"' EXIT
multitrace "${arguments[@]}" 2>"$messages" || code=$?
if [[ -s $messages ]]; then
    word=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    printf '::stop-commands::%s\n' "$word"
    cat -- "$messages"
    printf '\n::%s::\n' "$word"
fi

echo "exit-code=$code" >>"$GITHUB_OUTPUT"
if [[ -n $INPUT_SARIF_FILE && -f $INPUT_SARIF_FILE ]]; then
    # The step that uploads it may run in another folder.
    case $INPUT_SARIF_FILE in
        /* | [A-Za-z]:*) sarif=$INPUT_SARIF_FILE ;;
        *) sarif=$PWD/$INPUT_SARIF_FILE ;;
    esac
    if command -v cygpath >/dev/null; then sarif=$(cygpath -w "$sarif"); fi
    echo "sarif=$sarif" >>"$GITHUB_OUTPUT"
fi
# Violations may be tolerated; what was not checked never is.
if [[ $code == 1 && $INPUT_FAIL == false ]]; then
    echo "::notice title=multitrace::violations, and \"fail\" is false"
    exit 0
fi
exit "$code"
