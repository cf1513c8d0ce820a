#!/bin/sh
# Prints the packages in test order: names up to e ascending, alternating with the others descending. Two packages are tested at a
# time, and each half has its own engine (graph/graphtest), so its query plans are cached.
set -eu
packages=$(mktemp -d)
trap 'rm -r "$packages"' EXIT
"${GO:-go}" list ./... >"$packages/all"
grep -E '^nomograph/[a-e]' "$packages/all" >"$packages/first"
grep -vE '^nomograph/[a-e]' "$packages/all" | sort -r >"$packages/others"
paste -d '\n' "$packages/first" "$packages/others" | sed '/^$/d'
