#!/usr/bin/env bash
# Installs a released multitrace for the machine it runs on: the first step of action.yml.
#
# Reads INPUT_VERSION ("0.1.0", "v0.1.0" or "latest"), and what a runner of GitHub sets: RUNNER_OS, RUNNER_ARCH,
# RUNNER_TEMP, GITHUB_PATH. MULTITRACE_RELEASES names another place of releases, for a mirror and for the test.
set -euo pipefail

fail() {
    # A line break would end the annotation; "%0A" is one inside of it.
    local text=${1//%/%25}
    text=${text//$'\r'/%0D}
    echo "::error title=multitrace::${text//$'\n'/%0A}"
    exit 2
}

releases=${MULTITRACE_RELEASES:-https://github.com/multitrace/multitrace/releases}
version=${INPUT_VERSION#v}
# The version becomes a part of an address and of a path.
[[ $version =~ ^[0-9A-Za-z][0-9A-Za-z.+-]*$ ]] ||
    fail "version: \"$INPUT_VERSION\" is neither a version, as in 0.1.0, nor \"latest\""

case "$RUNNER_OS/$RUNNER_ARCH" in
    Linux/X64) target=x86_64-unknown-linux-musl ;;
    Linux/ARM64) target=aarch64-unknown-linux-musl ;;
    macOS/X64) target=x86_64-apple-darwin ;;
    macOS/ARM64) target=aarch64-apple-darwin ;;
    # Windows on ARM runs programs for x86_64.
    Windows/X64 | Windows/ARM64) target=x86_64-pc-windows-msvc ;;
    *) fail "no release for $RUNNER_OS on $RUNNER_ARCH; cargo install multitrace-cli --locked builds it" ;;
esac
case $RUNNER_OS in
    Windows) archive=multitrace-cli-$target.zip binary=multitrace.exe ;;
    *) archive=multitrace-cli-$target.tar.gz binary=multitrace ;;
esac
if [[ $version == latest ]]; then
    from=$releases/latest/download
else
    from=$releases/download/v$version
fi

folder=$(mktemp -d "$RUNNER_TEMP/multitrace.XXXXXX")
for file in "$archive" "$archive.sha256"; do
    curl --fail --silent --show-error --location --retry 3 --output "$folder/$file" "$from/$file" ||
        fail "version: $from/$file cannot be downloaded"
done

# Each system has one of these; both print the sum first.
sum() {
    if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -d ' ' -f 1
}
read -r expected _ <"$folder/$archive.sha256" || [[ -n ${expected:-} ]] || fail "$from/$archive.sha256 is empty"
actual=$(sum "$folder/$archive")
[[ $actual == "$expected" ]] || fail "$from/$archive has the checksum $actual, and not $expected"

case $archive in
    *.zip) unzip -q "$folder/$archive" -d "$folder" ;;
    *) tar -xzf "$folder/$archive" -C "$folder" ;;
esac
# An archive for Windows has its files at the top, the others have them in a folder.
path=$(find "$folder" -type f -name "$binary" -print -quit)
[[ -n $path ]] || fail "$from/$archive has no $binary"
chmod +x "$path"
"$path" --version
bin=$(dirname "$path")
# GITHUB_PATH is read by the runner, which wants paths of Windows there.
if command -v cygpath >/dev/null; then bin=$(cygpath -w "$bin"); fi
echo "$bin" >>"$GITHUB_PATH"
