#!/bin/sh
# Prints the packages in the order in which they are tested: those up to e from the first on, and between them the others from the
# last back. Two are tested at a time, and each half has an engine of its own (graph/graphtest), whose plans it finds made.
set -eu
packages=$(mktemp -d)
trap 'rm -r "$packages"' EXIT
"${GO:-go}" list ./... >"$packages/all"
grep -E '^nomograph/[a-e]' "$packages/all" >"$packages/first"
grep -vE '^nomograph/[a-e]' "$packages/all" | sort -r >"$packages/others"
paste -d '\n' "$packages/first" "$packages/others" | sed '/^$/d'
