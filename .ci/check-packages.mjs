// Checks the packages as npm would publish them: packs each, runs publint and attw on the tarball, installs the tarballs into empty
// projects, starts these, and sends requests to them. Arguments choose steps:
//
//   npm run check:packages                     everything
//   npm run check:packages -- contents copies  these steps only
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { applications } from './packages/applications.mjs'
import { commandLine } from './packages/command-line.mjs'
import { contents } from './packages/contents.mjs'
import { copies } from './packages/copies.mjs'
import { frontPage } from './packages/front-page.mjs'
import { quickStarts } from './packages/quick-starts.mjs'
import { sources } from './packages/sources.mjs'
import { packAll } from './packages/tarballs.mjs'
import { tools } from './packages/tools.mjs'

const steps = {
  contents,
  sources,
  copies,
  tools,
  applications,
  quickStarts,
  commandLine,
  frontPage,
}
const chosen = process.argv.slice(2)
for (const name of chosen) assert.ok(Object.hasOwn(steps, name), `there is no step ${name}`)

const folder = mkdtempSync(join(tmpdir(), 'sluice-packages-'))
process.on('exit', () => rmSync(folder, { recursive: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const packages = packAll(folder)
for (const [name, step] of Object.entries(steps)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  for await (const line of step(packages, folder)) console.log(line)
}
