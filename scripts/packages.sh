#!/bin/sh
# Prints the packages in the order in which they are tested, two at a time. First come two that would hold others up: one has engines
# of its own, and the other takes every shared one. Then follow those up to e from the first on, and between them the others from the
# last back: each half has an engine of its own (graph/graphtest), whose plans it finds made.
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
