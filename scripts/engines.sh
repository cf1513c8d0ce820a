#!/bin/sh
# Downloads what the full archives contain: Neo4j into bin/engines/lib, and a Java runtime for each platform beside it. What is there stays.
set -eu
cd "$(dirname "$0")/.."
for platform in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64; do
	to=bin/engines/$(echo $platform | tr / -)
	[ -e "$to/jre/release" ] && [ -e bin/engines/lib ] && continue
	mkdir -p bin/engines/lib "$to"
	ln -sfn ../lib "$to/lib"
	echo "Downloading Java and Neo4j for $platform"
	${GO:-go} run ./cmd/nomograph --quiet engine fetch --to "$to" --platform "$platform"
	rm -f "$to/lib"
done
