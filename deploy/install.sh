#!/bin/sh
# Installs Nomograph with Java and Neo4j for this user, from an address or a folder that has the archives and SHA256SUMS of a release:
#   sh install.sh https://example.org/releases/1.2.3
#   sh install.sh ./bin/release
# It verifies the checksum, unpacks to ~/.local/lib/nomograph (NOMOGRAPH_PREFIX replaces ~/.local) and links ~/.local/bin/nomograph.
# SLIM=1 installs the program only, which downloads Java and Neo4j at its first start.
set -eu
from=${1:?give the address or the folder of a release}
prefix=${NOMOGRAPH_PREFIX:-${HOME:?}/.local}

fail() {
	echo "install.sh: $1" >&2
	exit 1
}
case $(uname -s) in
Linux) system=linux ;;
Darwin) system=darwin ;;
*) fail "no archive for $(uname -s); use the ZIP archive on Windows" ;;
esac
case $(uname -m) in
x86_64 | amd64) cpu=amd64 ;;
aarch64 | arm64) cpu=arm64 ;;
*) fail "no archive for $(uname -m)" ;;
esac

fetch() { # NAME FILE
	case $from in
	https://* | http://127.0.0.1:* | http://localhost:*)
		if command -v curl >/dev/null 2>&1; then curl -fsSL -o "$2" "$from/$1"; else wget -q -O "$2" "$from/$1"; fi
		;;
	*://*) fail "use https://, not $from" ;;
	*) cp "$from/$1" "$2" ;;
	esac || fail "cannot get $from/$1"
}

lib=$prefix/lib
mkdir -p "$lib" "$prefix/bin"
work=$(mktemp -d "$lib/.nomograph-XXXXXX")
trap 'rm -rf "$work"' EXIT
fetch SHA256SUMS "$work/SHA256SUMS"
kind=-full
[ -z "${SLIM:-}" ] || kind=
line=$(grep -E "^[0-9a-f]{64}  nomograph-[^/ ]*-$system-$cpu$kind\.tar\.gz\$" "$work/SHA256SUMS") || fail "SHA256SUMS has no archive for $system-$cpu"
[ "$(echo "$line" | wc -l)" -eq 1 ] || fail "SHA256SUMS has several archives for $system-$cpu"
archive=${line##* }
fetch "$archive" "$work/$archive"
(
	cd "$work"
	if command -v sha256sum >/dev/null 2>&1; then echo "$line" | sha256sum -c - >/dev/null; else echo "$line" | shasum -a 256 -c - >/dev/null; fi
) || fail "$archive does not match its checksum; nothing was installed"
mkdir "$work/new"
tar -xzf "$work/$archive" -C "$work/new"
# A running server keeps the old files open.
[ ! -e "$lib/nomograph" ] || mv "$lib/nomograph" "$work/old"
mv "$work/new" "$lib/nomograph"
ln -sf "$lib/nomograph/nomograph" "$prefix/bin/nomograph"
ln -sf "$lib/nomograph/nomograph-hook" "$prefix/bin/nomograph-hook"
echo "Installed $("$prefix/bin/nomograph" version | head -n 1) in $prefix/bin"
case :$PATH: in
*:"$prefix/bin":*) ;;
*) echo "Add it to PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
