#!/bin/sh
# Downloads the third-party libraries of pages (sigma.js, graphology with its library) into server/pages/libraries, where a build embeds
# them. If that fails, the script says so and the build continues: its pages work without the libraries.
set -eu
cd "$(dirname "$0")/../server/pages/libraries"
${GO:-go} run fetch.go && exit 0
echo "Building without sigma.js and graphology: the server draws the graphs" >&2
rm -f ./*.js ./*.css
