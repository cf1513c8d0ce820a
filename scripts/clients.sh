#!/bin/sh
# Puts into the user's cache folder what the tests ask the server through: MCP's conformance suite, inspector and TypeScript SDK, for
# which it needs npm and Node 22 (on Linux that comes with them), axe-core, and schemathesis and MCP's Python SDK, for which it needs
# Python 3.10. The pages are looked at in Chromium, which it installs through apt where it may. Where one cannot be had, it says so, and the tests with it are left out.
set -eu
cd "$(dirname "$0")/../server/mcp/testdata/clients"

case $(uname -s) in
Darwin) cache=${HOME:?}/Library/Caches/nomograph-tests ;;
*) cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/nomograph-tests ;;
esac

left_out() {
	echo "LEFT OUT: the tests with $1, since $2" >&2
}

# What is in npm's folder is made aside and appears whole.
npm_clients() {
	cmp -s package-lock.json "$cache/npm/package-lock.json" && return
	what="MCP's conformance suite, inspector and TypeScript SDK"
	if ! command -v npm >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1; then
		as_root=
		[ "$(id -u)" = 0 ] || as_root="sudo -n"
		install="apt-get install -y --no-install-recommends nodejs npm"
		echo "Installing npm, which the tests with $what need: $install" >&2
		$as_root env DEBIAN_FRONTEND=noninteractive sh -c "$install || { apt-get update && $install; }" >&2 || true
	fi
	command -v npm >/dev/null 2>&1 || { left_out "$what" "npm is not here"; return; }
	echo "Fetching $what" >&2
	fresh=$cache/npm.$$
	mkdir -p "$fresh"
	cp package.json package-lock.json "$fresh"
	if npm ci --prefix "$fresh" --ignore-scripts --no-audit --no-fund --loglevel error >&2; then
		rm -rf "$cache/npm"
		mv "$fresh" "$cache/npm"
	else
		rm -rf "$fresh"
		left_out "$what" "npm could not fetch them"
	fi
}

# An environment holds its own path, so it is made where it stays; the mark that it is whole appears last.
venv() { # NAME VERSION
	venv=$cache/$1-$2
	[ -e "$venv/whole" ] && return
	if ! python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
		left_out "$1" "Python 3.10 with venv is not here"
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

# The one without windows is a third of the size. Ubuntu's chromium would be a snap, which is none that a test can start.
browser() {
	for program in chromium-headless-shell headless-shell chromium chromium-browser google-chrome; do
		command -v "$program" >/dev/null 2>&1 && return
	done
	[ ! -e "/Applications/Google Chrome.app" ] || return 0
	if command -v apt-get >/dev/null 2>&1; then
		as_root=
		[ "$(id -u)" = 0 ] || as_root="sudo -n"
		install="apt-get install -y --no-install-recommends chromium-headless-shell"
		echo "Installing Chromium, in which the pages are looked at: $install" >&2
		$as_root env DEBIAN_FRONTEND=noninteractive sh -c "$install || { apt-get update && $install; }" >&2 && return
	fi
	left_out "a browser" "Chromium is not here"
}

npm_clients
browser
venv schemathesis 4.32.5
venv mcp 2.3.0
