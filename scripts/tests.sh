#!/bin/sh
# Runs tests and prints their results as JSON: tests.sh [-race] [-test.run=PATTERN PACKAGE]. Without a package it runs all. The packages
# of `plain` start no goroutine and compute much, which the race detector slows five to ten times, so they are tested without it. Packages
# that call them are tested with it. Without symbols (-s), a test program is linked in half of the time. With the detector, collecting
# garbage takes a third of a test's time, so it happens less often.
set -u
go=${GO:-go}
race=
if [ "${1:-}" = -race ]; then
	race=$(scripts/race.sh) || exit 1
	export GOGC=400 GOMEMLIMIT=1GiB
	shift
fi
plain='^nomograph/(decisions/(calibration|drawing|records)|hooks/shell|internal/(render|schema|spelling|tokencount)|memory/(claims|transcripts|turns)|sessions/manifest)$'
skip='^TestBuild_EverySystem_Compiles$' # make cross runs it

# gotestsum names one test of one package if it failed and is run again.
if [ $# -gt 0 ]; then
	if echo "$2" | grep -qE "$plain"; then race=; fi
	exec "$go" test -json $race -vet=off -ldflags=-s -count=1 -timeout 20m "$1" "$2"
fi

# An empty list would test only the package of this folder.
listed=$("$go" list ./...) || exit 1
ordered=$(scripts/packages.sh) || exit 1
pure=$(echo "$listed" | grep -E "$plain") || exit 1
rest=$(echo "$ordered" | grep -vE "$plain") || exit 1

failed=0
"$go" test -json -vet=off -ldflags=-s -count=1 -timeout 40m $pure || failed=1
"$go" test -json $race -vet=off -ldflags=-s -skip "$skip" -count=1 -timeout 40m $rest || failed=1
exit $failed
