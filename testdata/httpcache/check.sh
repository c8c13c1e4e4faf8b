#!/usr/bin/env bash
# Gets the suite and holds the cache, as a shared one, to the lines: at least 150 of the
# 165 required tests, and 60 of the 95 optimal ones. Without Node 20 and npm, or where
# they reach no registry, nothing is tested, and a line says so.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
version=0.4.5
sum=bde099a69b357a8779a797573906ff2b4c1912c394d1908dc4fbe78ac79de1fb

untested() {
    echo "NOT TESTED: the public cache tests, for $1"
    exit 0
}
command -v npm >/dev/null || untested 'npm is not here'
if ! node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null; then
    untested 'Node 20 is not here'
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{"private": true}' >package.json
# All that the suite needs of its dependencies to run from the command line.
if ! npm pack --silent "http-cache-tests@$version" >log 2>&1 ||
    ! npm install --silent --ignore-scripts --no-audit --no-fund --no-package-lock node-fetch@2.7.0 >>log 2>&1; then
    cat log
    untested 'npm could not get them'
fi
sha256sum --check --quiet <<<"$sum  http-cache-tests-$version.tgz"
tar xzf "http-cache-tests-$version.tgz"

# Two ports that nobody has.
read -r ORIGIN_PORT PROXY_PORT < <(node -e '
const servers = [0, 1].map(() => require("net").createServer().listen(0, "localhost"))
setTimeout(() => { console.log(...servers.map(s => s.address().port)); servers.forEach(s => s.close()) }, 100)')
export ORIGIN_PORT PROXY_PORT REQUIRED=150 OPTIMAL=60
# The suite counts in seconds of the clock: a machine that was busy for one of them gets
# another chance.
"$here/run.sh" "$work/package" -targets Surrogate-Control || "$here/run.sh" "$work/package" -targets Surrogate-Control
