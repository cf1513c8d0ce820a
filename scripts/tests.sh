#!/bin/sh
# Runs all tests and prints their results as JSON: tests.sh [-race]. The packages of `plain` start no goroutine and compute much, which
# the race detector slows five to ten times, so they are tested without it. Packages that call them are tested with it.
set -u
go=${GO:-go}
plain='^nomograph/(decisions/(calibration|drawing|records)|hooks/shell|internal/(redact|render|schema|spelling|tokencount)|memory/(claims|transcripts|turns)|policies/(condition|learning)|sessions/manifest)$'
skip='^TestBuild_EverySystem_Compiles$' # make cross runs it

failed=0
"$go" test -json -vet=off -count=1 -timeout 40m $("$go" list ./... | grep -E "$plain") || failed=1
"$go" test -json "$@" -vet=off -skip "$skip" -count=1 -timeout 40m $(scripts/packages.sh | grep -vE "$plain") || failed=1
exit $failed
