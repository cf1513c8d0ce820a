#!/bin/sh
# Prints the rooms in the order in which they are tested, three at a time: in turn one of those up to e from the first on, one of the
# others from the last back, and one that seldom needs the engines that tests share. The first two kinds have such an engine each
# (graph/graphtest), whose plans they find made; the third uses the processors while those wait.
set -eu
rooms=$(mktemp -d)
trap 'rm -r "$rooms"' EXIT
"${GO:-go}" list ./... >"$rooms/all"
grep -xE 'nomograph(|/cmd/nomograph|/graph/engine|/server/pages)' "$rooms/all" >"$rooms/own"
grep -vxFf "$rooms/own" "$rooms/all" >"$rooms/shared"
grep -E '^nomograph/[a-e]' "$rooms/shared" >"$rooms/first"
grep -vE '^nomograph/[a-e]' "$rooms/shared" | sort -r >"$rooms/others"
paste -d '\n' "$rooms/first" "$rooms/others" "$rooms/own" | sed '/^$/d'
