#!/bin/sh
# Puts MCP's official TypeScript SDK, which a test asks the server through, into the user's cache folder. It needs Node 20 and
# npm, which it installs through apt where this user may. Where that cannot be, it says so and the test is left out.
set -eu
cd "$(dirname "$0")/../server/mcp/testdata/typescript"

left_out() {
	echo "LEFT OUT: the test with MCP's TypeScript SDK, since $1" >&2
	exit 0
}

node_ok() {
	command -v npm >/dev/null 2>&1 && [ "$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\).*/\1/p')" -ge 20 ] 2>/dev/null
}

case $(uname -s) in
Darwin) cache=$HOME/Library/Caches ;;
*) cache=${XDG_CACHE_HOME:-$HOME/.cache} ;;
esac
sdk=$cache/nomograph-tests/typescript-sdk

if ! node_ok && command -v apt-get >/dev/null 2>&1; then
	as_root=
	[ "$(id -u)" = 0 ] || as_root="sudo -n"
	install="apt-get install -y --no-install-recommends nodejs npm"
	echo "Installing Node, which the test with MCP's TypeScript SDK needs: $install" >&2
	$as_root env DEBIAN_FRONTEND=noninteractive sh -c "$install || { apt-get update && $install; }" >&2 || true
fi
node_ok || left_out "Node 20 and npm are not here"
cmp -s package-lock.json "$sdk/package-lock.json" && exit 0

echo "Fetching MCP's TypeScript SDK" >&2
fresh=$sdk.$$
trap 'rm -rf "$fresh"' EXIT
mkdir -p "$fresh"
cp package.json package-lock.json "$fresh"
npm ci --prefix "$fresh" --ignore-scripts --no-audit --no-fund >&2 || left_out "npm could not fetch it"
rm -rf "$sdk"
mv "$fresh" "$sdk"
