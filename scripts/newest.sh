#!/bin/sh
# Runs the tests against another Neo4j version than the default, the newest that is known to work: newest.sh VERSION PACKAGE...
# It needs Java 21 or newer and searches JAVA_HOME, PATH and the usual directories. Without it, the script says so and runs only
# tests that do not need this version.
set -eu
version=$1
shift
go=${GO:-go}

new_enough() {
	[ -x "$1/bin/java" ] && [ "$("$1/bin/java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)" -ge 21 ] 2>/dev/null
}

in_path=$(command -v java || true)
[ -z "$in_path" ] || in_path=$(dirname "$(dirname "$(readlink -f "$in_path" 2>/dev/null || echo "$in_path")")")
java=
for home in "${JAVA_HOME:-}" "$in_path" /usr/lib/jvm/* /opt/java/* /Library/Java/JavaVirtualMachines/*/Contents/Home /opt/homebrew/opt/openjdk*; do
	if new_enough "$home"; then
		java=$home
		break
	fi
done

if [ -z "$java" ]; then
	echo "NOT RUN against Neo4j $version, which needs Java 21 or newer: install openjdk-21-jre-headless or openjdk@21, or set JAVA_HOME." >&2
	echo "Only the tests that need no engine run: versions and their Java." >&2
	exec "$go" test -count=1 ./graph/engine/... ./graph -run 'Version|Java|Options|Capabilities|Older|Maven'
fi

export JAVA_HOME="$java" NOMOGRAPH_ENGINE_VERSION="$version"
echo "Running the tests against Neo4j $version with $("$java/bin/java" -version 2>&1 | head -n 1) (the first run fetches Neo4j)"
exec "$go" test -count=1 -timeout 60m "$@"
