#!/bin/sh
# Checks for Java 17 or newer and Maven, which download and run the managed Neo4j. Installs them through apt if this user may,
# otherwise prints the command. requirements.sh run checks nothing if NEO4J_URI names a database.
set -eu
cd "$(dirname "$0")"

java_ok() {
	command -v java >/dev/null 2>&1 &&
		[ "$(java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)" -ge 17 ] 2>/dev/null
}

# Prints the newest suitable package of this release: Debian 12 has Java 17, Debian 13 has 21 and 25, and Neo4j 5.26 needs 17 or 21.
java_package() {
	default=$(apt-cache depends default-jre-headless 2>/dev/null | sed -n 's/.*openjdk-\([0-9]*\)-jre-headless.*/\1/p' | head -n 1)
	[ "${default:-0}" -lt 17 ] || { echo default-jre-headless && return; }
	for version in 21 17 25; do
		apt-cache show "openjdk-$version-jre-headless" >/dev/null 2>&1 && echo "openjdk-$version-jre-headless" && return
	done
	echo default-jre-headless # the package lists are empty: apt.sh updates them
}

if [ -n "${NEO4J_URI:-}" ] && [ "${1:-}" = run ]; then
	exit 0
fi
missing=
java_ok || missing=$(command -v apt-cache >/dev/null 2>&1 && java_package || echo "Java 17 or newer")
command -v mvn >/dev/null 2>&1 || missing="$missing maven"
[ -n "$missing" ] || exit 0

# shellcheck disable=SC2086 # packages are separated by spaces
if command -v apt-get >/dev/null 2>&1; then
	./apt.sh "the managed Neo4j" $missing || exit 1
	java_ok || { echo "The installed Java is older than 17: $(java -version 2>&1 | head -n 1)" >&2; exit 1; }
	exit 0
fi
case $(uname -s) in
Darwin) echo "Neo4j needs Java 17 and Maven. Install them with: brew install openjdk@21 maven" >&2 ;;
*) echo "Neo4j needs Java 17 or newer and Maven (mvn): install both with your system's package manager" >&2 ;;
esac
exit 1
