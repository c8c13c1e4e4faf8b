#!/usr/bin/env bash
# Runs the suite against the proxy: run.sh DIRECTORY-OF-THE-SUITE [FLAGS OF THE PROXY]
# The suite comes from `npm pack http-cache-tests`, unpacked, with node-fetch where it
# finds it; check.sh does all that. Under the lines REQUIRED and OPTIMAL it fails.
set -euo pipefail
suite=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
origin='' proxy=''
trap 'kill $proxy $origin 2>/dev/null || true; rm -rf "$work"' EXIT
go build -C "$here" -o "$work/httpcache" main.go
export npm_config_protocol=http npm_config_port="${ORIGIN_PORT:-8000}" npm_config_pidfile="$work/pid" npm_config_id= npm_package_config_id=
(cd "$suite" && exec node --no-warnings server/server.mjs >/dev/null) & origin=$!
port=${PROXY_PORT:-8001}
"$work/httpcache" -listen "localhost:$port" -origin "http://localhost:$npm_config_port" "$@" 2>"$work/log" & proxy=$!
up() { # PORT PID
    for _ in {1..100}; do
        kill -0 "$2" 2>/dev/null || break
        if (: <"/dev/tcp/localhost/$1") 2>/dev/null; then
            return
        fi
        sleep 0.1
    done
    echo "nothing listens on port $1" >&2
    cat "$work/log" >&2
    return 1
}
up "$npm_config_port" "$origin"
up "$port" "$proxy"
(cd "$suite" && npm_config_base="http://localhost:$port" node --no-warnings cli.mjs) >"$work/results.json"
node "$here/summary.mjs" "$suite" "$work/results.json" "${REQUIRED:-0}" "${OPTIMAL:-0}"
