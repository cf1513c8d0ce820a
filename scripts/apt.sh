#!/bin/sh
# Installs Debian packages if this user may, and says so: apt.sh PURPOSE PACKAGE... Otherwise it prints the command and fails.
set -eu
purpose=$1
shift
command -v apt-get >/dev/null 2>&1 || exit 1
install="apt-get install -y --no-install-recommends $*"
if [ "$(id -u)" = 0 ]; then
	as_root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
	as_root="sudo -n"
else
	echo "Missing for $purpose: $*. Install with: sudo $install" >&2
	exit 1
fi
echo "Installing $*, for $purpose: $install" >&2
# The package lists may be outdated, so they are updated after a first failure.
$as_root env DEBIAN_FRONTEND=noninteractive sh -c "$install || { apt-get update && $install; }" >&2
