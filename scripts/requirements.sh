#!/bin/sh
# Checks for Java 17 or newer and Maven, which download and run the managed Neo4j. Installs them through apt if this user may,
# otherwise prints the command.
set -eu

java_ok() {
	command -v java >/dev/null 2>&1 &&
		[ "$(java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)" -ge 17 ] 2>/dev/null
}

# Skip what is not needed.
if [ -n "${NEO4J_URI:-}" ] && [ "${1:-}" = run ]; then
	exit 0
fi

missing=
java_ok || missing="openjdk-17-jre-headless"
command -v mvn >/dev/null 2>&1 || missing="$missing maven"
[ -n "$missing" ] || exit 0

install="apt-get install -y $missing"
if command -v apt-get >/dev/null 2>&1; then
	if [ "$(id -u)" = 0 ]; then
		as_root=
	elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		as_root="sudo -n"
	else
		echo "Neo4j needs: $missing. Install it with: sudo $install" >&2
		exit 1
	fi
	echo "Installing $missing, which the managed Neo4j needs: $install" >&2
	# The package lists may be outdated, so the script updates them after a first failure.
	$as_root env DEBIAN_FRONTEND=noninteractive sh -c "$install || { apt-get update && $install; }" >&2
	java_ok || { echo "The installed Java is older than 17: $(java -version 2>&1 | head -n 1)" >&2; exit 1; }
	exit 0
fi
case $(uname -s) in
Darwin) echo "Neo4j needs Java 17 and Maven. Install them with: brew install openjdk@17 maven" >&2 ;;
*) echo "Neo4j needs Java 17 or newer and Maven (mvn): install both with your system's package manager" >&2 ;;
esac
exit 1
