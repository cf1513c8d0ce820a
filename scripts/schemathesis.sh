#!/bin/sh
# Puts schemathesis, with which a test sends the REST door what its OpenAPI document allows and what not, into the user's cache
# folder. It needs Python 3.10. Where that cannot be, it says so and the test is left out.
set -eu
version=4.32.5

left_out() {
	echo "LEFT OUT: the test of the REST door with schemathesis, since $1" >&2
	exit 0
}

case $(uname -s) in
Darwin) cache=$HOME/Library/Caches ;;
*) cache=${XDG_CACHE_HOME:-$HOME/.cache} ;;
esac
venv=$cache/nomograph-tests/schemathesis-$version
[ -x "$venv/bin/schemathesis" ] && exit 0

python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || left_out "Python 3.10 with venv is not here"
echo "Fetching schemathesis $version" >&2
# An environment holds its own path, so it is made where it stays; the program in it appears last.
rm -rf "$venv"
python3 -m venv "$venv" >&2 || { rm -rf "$venv"; left_out "no environment could be made"; }
"$venv/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$version" >&2 || { rm -rf "$venv"; left_out "pip could not fetch it"; }
