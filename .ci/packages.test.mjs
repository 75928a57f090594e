// Checks the packages as npm would publish them: packs each, runs publint and attw on the tarball, installs the tarballs into empty
// projects, starts these, and sends requests to them. `npm run check:packages -- -t 'contents|copies'` runs these steps only.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
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
const folder = mkdtempSync(join(tmpdir(), 'sluice-packages-'))
let packages

beforeAll(() => {
  packages = packAll(folder)
})

afterAll(() => rmSync(folder, { recursive: true }))

test.each(Object.entries(steps))('%s', async (_, step) => {
  for await (const line of step(packages, folder)) console.log(line)
})
