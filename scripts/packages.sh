#!/bin/sh
# Prints the packages in the order in which they are tested, two at a time. The first two would delay others at the end: one starts its
# own engines, and the other takes all shared ones. Then packages up to e in ascending order alternate with the others in descending
# order. Each half uses one shared engine (graph/graphtest), which has its query plans already.
set -eu
packages=$(mktemp -d)
trap 'rm -r "$packages"' EXIT
together='^nomograph/(agents/federation|graph/engine)$'
"${GO:-go}" list ./... >"$packages/all"
grep -E "$together" "$packages/all"
grep -vE "$together" "$packages/all" >"$packages/rest"
grep -E '^nomograph/[a-e]' "$packages/rest" >"$packages/first"
grep -vE '^nomograph/[a-e]' "$packages/rest" | sort -r >"$packages/others"
paste -d '\n' "$packages/first" "$packages/others" | sed '/^$/d'
