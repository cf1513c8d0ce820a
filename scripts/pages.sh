#!/bin/sh
# Downloads the third-party libraries of pages (sigma.js, graphology with two layouts, uPlot) into server/pages/libraries, where a build embeds them.
# npm downloads the versions and digests in the lock file there into the user's cache directory. If that fails, the script says so
# and the build continues: its pages work without the libraries.
set -eu
cd "$(dirname "$0")/../server/pages/libraries"

case $(uname -s) in
Darwin) cache=${HOME:?}/Library/Caches/nomograph ;;
*) cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/nomograph ;;
esac
cache=$cache/pages

without() {
	echo "Building without sigma.js, graphology and uPlot, because $1: the server draws the graphs" >&2
	rm -f ./*.js ./*.css
	exit 0
}

if ! cmp -s package-lock.json "$cache/package-lock.json"; then
	command -v npm >/dev/null 2>&1 || ../../../scripts/apt.sh "sigma.js, graphology and uPlot" nodejs npm || true
	command -v npm >/dev/null 2>&1 || without "npm is not installed"
	echo "Fetching sigma.js, graphology and uPlot" >&2
	fresh=$cache.$$
	mkdir -p "$fresh"
	cp package.json package-lock.json "$fresh"
	if npm ci --prefix "$fresh" --ignore-scripts --no-audit --no-fund --loglevel error >&2; then
		rm -rf "$cache"
		mv "$fresh" "$cache"
	else
		rm -rf "$fresh"
		without "npm could not fetch them"
	fi
fi
for file in sigma/dist/sigma.min.js graphology/dist/graphology.umd.min.js uplot/dist/uPlot.iife.min.js uplot/dist/uPlot.min.css \
	graphology-layout-forceatlas2/iterate.js=forceatlas2.js graphology-layout-noverlap/iterate.js=noverlap.js; do
	from=$cache/node_modules/${file%=*} to=${file##*=}
	cmp -s "$from" "${to##*/}" || cp "$from" "${to##*/}"
done
