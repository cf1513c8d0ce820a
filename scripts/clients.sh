#!/bin/sh
# Installs the clients of the tests into the user's cache directory: MCP's conformance suite, inspector and TypeScript SDK, which need npm
# and Node 22 (installed with them on Linux), Claude Code, Gemini CLI, axe-core, and schemathesis and MCP's Python SDK, which need Python 3.10. It installs Chromium
# for the tests of pages through apt if permitted. With the argument all, it also installs Codex, Copilot CLI and OpenCode, which need 1 GB.
# It reports missing clients; their tests are skipped.
set -eu
cd "$(dirname "$0")/.."

case $(uname -s) in
Darwin) cache=${HOME:?}/Library/Caches/nomograph-tests ;;
*) cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/nomograph-tests ;;
esac

left_out() {
	echo "SKIPPED: the tests with $1, because $2" >&2
}

# npm's directory is built elsewhere and moved when complete.
npm_clients() { # FOLDER NAME WHAT
	cmp -s "$1/package-lock.json" "$cache/$2/package-lock.json" && return
	command -v npm >/dev/null 2>&1 || scripts/apt.sh "the tests with $3" nodejs npm || true
	command -v npm >/dev/null 2>&1 || { left_out "$3" "npm is not installed"; return; }
	echo "Fetching $3" >&2
	fresh=$cache/$2.$$
	mkdir -p "$fresh"
	cp "$1/package.json" "$1/package-lock.json" "$fresh"
	if npm ci --prefix "$fresh" --ignore-scripts --no-audit --no-fund --loglevel error >&2; then
		rm -rf "${cache:?}/$2"
		mv "$fresh" "$cache/$2"
	else
		rm -rf "$fresh"
		left_out "$3" "npm could not fetch them"
	fi
}

# A virtual environment contains its own path, so it is created in place. A marker file is written when it is complete.
venv() { # NAME VERSION
	venv=$cache/$1-$2
	[ -e "$venv/whole" ] && return
	if ! python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
		left_out "$1" "Python 3.10 with venv is not installed"
		return
	fi
	echo "Fetching $1 $2" >&2
	rm -rf "$venv"
	if python3 -m venv "$venv" >&2 && "$venv/bin/pip" install --quiet --disable-pip-version-check "$1==$2" >&2; then
		touch "$venv/whole"
	else
		rm -rf "$venv"
		left_out "$1" "pip could not fetch it"
	fi
}

# The headless build has a third of the size. Tests cannot start Ubuntu's chromium, which is a snap.
browser() {
	for program in chromium-headless-shell headless-shell chromium chromium-browser google-chrome; do
		command -v "$program" >/dev/null 2>&1 && return
	done
	[ ! -e "/Applications/Google Chrome.app" ] || return 0
	scripts/apt.sh "the tests of pages" chromium-headless-shell && return
	left_out "a browser" "Chromium is not installed"
}

npm_clients server/mcp/testdata/clients npm "MCP's conformance suite, inspector and TypeScript SDK"
npm_clients hooks/testdata/clients agents "Claude Code and Gemini CLI"
[ "${1:-}" != all ] || npm_clients hooks/testdata/clients/large large-agents "Codex, Copilot CLI and OpenCode"
browser
venv schemathesis 4.32.5
venv mcp 2.3.0
