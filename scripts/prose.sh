#!/usr/bin/env bash
# Runs Vale (the module in $1) over tracked Markdown, Go comments, and golden files of help, tools and errors. The index of
# tools is left out: its rows are lists of links, which Vale reads as one sentence.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
if ! command -v "$($go env CC | cut -d' ' -f1)" >/dev/null 2>&1; then
	echo "No C compiler: Vale is skipped, and prose is not checked"
	exit 0
fi
git ls-files -z 'README.md' 'CONTRIBUTING.md' 'CHANGELOG.md' 'docs/*.md' '*.go' 'cmd/nomograph/testdata/help.txt' 'internal/apperr/testdata/errors.txt' ':!*.pb.go' ':!docs/reference/tools.md' |
	CGO_ENABLED=1 xargs -0 "$go" run "$1" --config .vale.ini --output line
