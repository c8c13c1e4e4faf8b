// Prints how many tests of the suite passed, by kind, and the ids of those that did not.
// Usage: node summary.mjs DIRECTORY-OF-THE-SUITE RESULTS.json [REQUIRED OPTIMAL]
// With fewer passed than the last two, it fails.
import fs from 'fs'
import path from 'path'
import { pathToFileURL } from 'url'

const [dir, file, ...lines] = process.argv.slice(2)
const least = { required: Number(lines[0] ?? 0), optimal: Number(lines[1] ?? 0), check: 0 }
const load = async name => (await import(pathToFileURL(path.resolve(dir, name)))).default
const suites = [...await load('tests/index.mjs'), await load('tests/surrogate-control.mjs')]
const results = JSON.parse(fs.readFileSync(file))
const tests = suites.flatMap(s => s.tests).filter(t => !t.browser_only)
const byId = new Map(tests.map(t => [t.id, t]))
// A test counts only when all that it depends on have passed, as on the suite's pages.
const passed = id => results[id] === true && (byId.get(id)?.depends_on ?? []).every(passed)
for (const kind of ['required', 'optimal', 'check']) {
  const all = tests.filter(t => (t.kind ?? 'required') === kind)
  const alone = all.filter(t => results[t.id] === true).length
  const count = all.filter(t => passed(t.id)).length
  console.log(`${kind}: ${count} of ${all.length} (${alone} whatever they depend on)`)
  if (count < least[kind]) {
    console.log(`  which is under the line of ${least[kind]}`)
    process.exitCode = 1
  }
  if (kind === 'check') continue
  for (const t of all) {
    if (passed(t.id)) continue
    const own = results[t.id]
    console.log(`  ${t.id}: ${own === true ? 'depends on one that failed' : own?.[1] ?? 'no result'}`)
  }
}
