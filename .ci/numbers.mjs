// Measures the packages, their imports, the path of a request, the cost of a decision and the sources, and writes the numbers to numbers.json. With --check, it
// compares them instead: it fails if a number is more than a tenth above the written one, or above its ceiling in that file. It prints each difference. A
// ceiling only falls.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { run } from './command.mjs'
import { decisionCosts } from './numbers/decisions.mjs'
import { modulesOf } from './numbers/imports.mjs'
import { linesOf } from './numbers/lines.mjs'
import { kilobytesOf, programSizes, sizeOf } from './numbers/sizes.mjs'
import { createProject } from './packages/project.mjs'
import { packAll } from './packages/tarballs.mjs'
import { root } from './workspace.mjs'

const file = join(root, '.ci', 'numbers.json')
const { ceilings, measured: written } = JSON.parse(readFileSync(file, 'utf8'))
const measured = {
  ...requests(),
  ...(await decisionCosts()),
  lines: linesOf(Object.keys(ceilings.lines)),
  ...(await installed()),
}

const rows = Object.entries(measured).flatMap(([what, numbers]) =>
  Object.entries(numbers).map(([of, is]) => {
    const [was, ceiling] = [written[what]?.[of], ceilings[what]?.[of]]
    return { what, of, is, was, ceiling, isOver: is > (ceiling ?? 1.1 * (was ?? is)) }
  }),
)
for (const { what, of, is, was, ceiling, isOver } of rows) {
  const limit = ceiling === undefined ? '' : `, at most ${ceiling}`
  const change = `${what}, ${of}: ${is}, was ${was ?? 'not measured'}${limit}`
  if (isOver || is !== was) console.log(`${isOver ? 'TOO MUCH: ' : ''}${change}`)
}

if (process.argv.includes('--check')) process.exitCode = rows.some(({ isOver }) => isOver) ? 1 : 0
else writeFileSync(file, `${JSON.stringify({ ceilings, measured }, null, 2)}\n`)

const core = measured['kB of a program']['all of core']
const [, stated] = /The core is (\d+) kB/.exec(readFileSync(join(root, 'README.md'), 'utf8'))
assert.ok(Math.abs(core - stated) < stated / 10, `the core has ${core} kB, README.md: ${stated}`)

/** The functions and files that one request passes. */
function requests() {
  const found = ['memory', 'redis', 'hono'].map((kind) => {
    const output = run(process.execPath, [join(root, '.ci', 'main-path.mjs'), `--${kind}`])
    const [, functions, files] = /(\d+) {2}in (\d+) files$/m.exec(output)
    return { kind, functions: Number(functions), files: Number(files) }
  })
  return {
    'functions of a request': numbersOf(found, ({ kind, functions }) => [kind, functions]),
    'files of a request': numbersOf(found, ({ kind, files }) => [kind, files]),
  }
}

/** The packages as an application installs them, and their imports. */
async function installed() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-numbers-'))
  process.on('exit', () => rmSync(folder, { recursive: true }))
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  const packages = packAll(folder)
  const dependencies = packages.map(({ manifest }) => manifest.name)
  const project = createProject(join(folder, 'project'), packages, { dependencies, files: {} })
  const imports = packages
    .filter(({ manifest }) => manifest.bin === undefined)
    .map(({ name, manifest }) => ({ name, modules: modulesOf(manifest.name, project) }))
  return {
    'kB of a package': numbersOf(packages, ({ name, manifest }) => [
      name,
      sizeOf(manifest.name, project),
    ]),
    'kB of a program': await programSizes(project),
    'modules of an import': numbersOf(imports, ({ name, modules }) => [name, modules.length]),
    'kB of an import': numbersOf(imports, ({ name, modules }) => [name, kilobytesOf(modules)]),
  }
}

function numbersOf(list, entryOf) {
  return Object.fromEntries(list.map(entryOf))
}
