#!/bin/sh
# Runs tests and prints their results as JSON: tests.sh short | all. short leaves out tests that say testing.Short. all runs every test,
# with the race detector where code starts goroutines. The packages of `plain` start none and compute much, which the race detector slows
# five to ten times. Packages that call them are tested with it. Those of `outside` mostly test the built program, engines and browsers,
# which run without it. Without symbols (-s), a test program is linked in half of the time.
set -u
go=${GO:-go}
plain='^nomograph/(decisions/(calibration|drawing|records)|hooks/shell|internal/(render|schema|spelling|tokencount)|memory/(claims|transcripts|turns)|sessions/manifest)$'
outside='^nomograph(/(bench|cmd|graph/engine|server/(attacks|pages)|tools)(/.*)?)?$'

# An empty list would test only the package of this folder.
listed=$("$go" list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' ./...) || exit 1
if [ "$1" = short ]; then
	short=-short race=
	first=$(echo "$listed" | grep -vE 'nomograph/(graph/graphtest|tools/toolstest)\b' | cut -d' ' -f1) # need no engine, so results are cached
	rest=$(scripts/packages.sh | grep -vxF "$first") || exit 1
else
	short=
	race=$(command -v gcc >/dev/null 2>&1 && scripts/race.sh) || echo "No C compiler, so the race detector is left out" >&2
	first=$(scripts/packages.sh | grep -E "$plain|$outside") || exit 1
	rest=$(scripts/packages.sh | grep -vE "$plain|$outside") || exit 1
fi

failed=0
# shellcheck disable=SC2086 # packages and flags are separated by spaces
{
	"$go" test -json $short -vet=off -ldflags=-s -skip '^TestBuild_EverySystem_Compiles$' ${race:+-count=1} -timeout 40m $first || failed=1
	[ -z "$race" ] || export GOGC=400 GOMEMLIMIT=1GiB # collecting garbage takes a third of the time with the race detector
	"$go" test -json $short $race -vet=off -ldflags=-s -skip '^TestBuild_EverySystem_Compiles$' -count=1 -timeout 40m $rest || failed=1
}
exit $failed
