// Plants small faults (mutants) in the sources, one at a time, and lists those that no test finds. The lists are in `.ci/mutants`.
//
//   npm run mutants                                  all areas, in two lanes; takes long
//   npm run mutants -- --area scripts --lanes 1      one area
//   npm run mutants -- --only refund                 those whose name contains the word
//   npm run mutants -- --every 20                    a sample: one in 20
//   node .ci/mutants.mjs --check                     checks that the lists match the code; part of `npm run lint`
import { readdir } from 'node:fs/promises'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { openLane } from './lane.mjs'
import { root } from './workspace.mjs'

/** The least share of each area's mutants that its tests have to kill. */
const leastKilled = 0.9

const { values: options } = parseArgs({
  options: {
    area: { type: 'string' },
    only: { type: 'string', default: '' },
    every: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '2' },
    check: { type: 'boolean', default: false },
  },
})

const areas = await readAreas()
const faults = areas.flatMap(({ mutants }) => mutants.flatMap(faultOf))
if (faults.length > 0) {
  console.error(`The lists in .ci/mutants do not follow the code:\n\n${faults.join('\n\n')}\n`)
  process.exit(1)
}
if (!options.check) await plantAll()

async function readAreas() {
  const folder = join(root, '.ci', 'mutants')
  const files = (await readdir(folder)).filter((name) => name.endsWith('.mjs')).sort()
  const all = await Promise.all(files.map(async (name) => import(join(folder, name))))
  if (options.area === undefined) return all
  const chosen = all.filter(({ area }) => area === options.area)
  if (chosen.length > 0) return chosen
  console.error(`The areas are: ${all.map(({ area }) => area).join(', ')}`)
  return process.exit(1)
}

/** An edit is invalid if it matches no place or several. */
function faultOf({ file, name, find, replace }) {
  const path = join(root, file)
  const count = existsSync(path) ? readFileSync(path, 'utf8').split(find).length - 1 : 0
  if (count === 1 && find !== replace) return []
  return [`"${name}": found ${count} times in ${file}, and not once:\n${find}`]
}

async function plantAll() {
  const jobs = areas
    .flatMap(({ area, tests, mutants }) => mutants.map((mutant) => ({ area, tests, mutant })))
    .filter(({ mutant }) => mutant.name.includes(options.only))
    .filter((_, i) => i % Number(options.every) === 0)
  const lanes = []
  const close = async () => Promise.all(lanes.map((lane) => lane.close()))
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => void close().finally(() => process.exit(130)))
  }
  try {
    const count = Math.min(Number(options.lanes), jobs.length)
    for (let i = 0; i < count; i++) lanes.push(openLane(i + 1))
    await Promise.all(lanes.map((lane) => lane.prepare()))
    const usualMs = await rehearse(lanes, jobs)
    const left = [...jobs]
    const results = []
    await Promise.all(
      lanes.map(async (lane) => {
        for (let job = left.shift(); job !== undefined; job = left.shift()) {
          const result = {
            ...job,
            ...(await lane.plant(job.mutant, job.tests, usualMs.get(job.area))),
          }
          results.push(result)
          console.log(lineOf(result, results.length, jobs.length))
        }
      }),
    )
    report(results)
  } finally {
    await close()
  }
}

/** The tests of each area without a mutant. They must pass, and their duration sets the time limit. */
async function rehearse(lanes, jobs) {
  const left = areas.filter(({ area }) => jobs.some((job) => job.area === area))
  const usualMs = new Map()
  await Promise.all(
    lanes.map(async (lane) => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const { area, tests, mutants } = next
        const ms = await lane.rehearse(tests, mutants)
        usualMs.set(area, ms)
        console.log(`${area}: its tests pass, in ${inSeconds(ms)}`)
      }
    }),
  )
  return usualMs
}

function lineOf({ area, mutant, outcome, by, ms }, done, all) {
  const killer = by === undefined ? '' : ` by: ${by}`
  return `${done}/${all} ${outcome.padEnd(8)} ${inSeconds(ms).padStart(5)}  ${area}: ${mutant.name}${killer}`
}

function report(results) {
  const rows = []
  for (const area of new Set(results.map((result) => result.area))) {
    const own = results.filter((result) => result.area === area)
    const count = (outcome) => own.filter((result) => result.outcome === outcome).length
    const killed = count('killed') + count('timeout')
    const share = killed / own.length
    const seconds = Math.round(own.reduce((sum, { ms }) => sum + ms, 0) / 1000)
    const survived = own.length - killed - count('invalid')
    rows.push({
      area,
      mutants: own.length,
      killed,
      survived,
      '% killed': Math.floor(100 * share),
      seconds,
    })
    if (share < leastKilled) process.exitCode = 1
  }
  console.table(rows)
  tellOf('No test noticed', results, 'survived')
  tellOf('Counted as killed because the tests did not end', results, 'timeout')
  tellOf('Not compiled, to be replaced by others', results, 'invalid')
}

function tellOf(what, results, outcome) {
  const those = results.filter((result) => result.outcome === outcome)
  if (those.length === 0) return
  console.log(`\n${what}:`)
  for (const { area, mutant } of those) console.log(`  ${area}: ${mutant.name} (${mutant.file})`)
}

function inSeconds(ms) {
  return `${Math.round(ms / 1000)} s`
}
