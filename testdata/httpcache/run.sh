#!/bin/sh
# Runs the suite against the proxy: run.sh DIRECTORY-OF-THE-SUITE [FLAGS OF THE PROXY]
# The suite comes from `npm pack http-cache-tests`, unpacked, with
# `npm install --ignore-scripts liquidjs@9 node-fetch@2` in it.
set -eu
suite=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'kill $proxy $origin 2>/dev/null; rm -rf "$work"' EXIT
go build -o "$work/httpcache" "$here/main.go"
export npm_config_protocol=http npm_config_port="${ORIGIN_PORT:-8000}" npm_config_pidfile="$work/pid" npm_config_id= npm_package_config_id=
(cd "$suite" && exec node --no-warnings server/server.mjs >/dev/null) & origin=$!
port=${PROXY_PORT:-8001}
"$work/httpcache" -listen "localhost:$port" -origin "http://localhost:$npm_config_port" "$@" 2>"$work/log" & proxy=$!
sleep 1
(cd "$suite" && npm_config_base="http://localhost:$port" node --no-warnings cli.mjs) >"$work/results.json"
node "$here/summary.mjs" "$suite" "$work/results.json"
