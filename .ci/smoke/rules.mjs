import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertAllowed, assertDenied } from './answers.mjs'
import { root } from '../workspace.mjs'

const appliesWithinMs = 10_000

/** The rules of the file apply, an edit applies while the server runs, and a mistake changes nothing. */
export async function rules({ ask }, { RULES: path }) {
  const as = (user) => ({ headers: { 'X-User': user } })
  for (let i = 0; i < 5; i++) assertAllowed(await ask('/api/items', as('ada')))
  await assertDenied(await ask('/api/items', as('ada')), 'api')
  for (let i = 0; i < 6; i++) assertAllowed(await ask('/api/items', as('bob')))

  assert.equal((await ask('/health')).headers.get('RateLimit'), null)
  assert.equal((await ask('/search', { headers: { 'User-Agent': 'a spider' } })).status, 403)
  for (let i = 0; i < 5; i++) assert.equal((await ask('/login', { method: 'POST' })).status, 401)
  assert.equal((await ask('/login', { method: 'POST' })).status, 429)
  const points = []
  for (let i = 0; i < 4; i++) {
    points.push((await (await ask('/posts', { method: 'POST' })).json()).points)
  }
  assert.deepEqual(points, [10, 10, 10, 0])

  const written = readFileSync(path, 'utf8')
  const first = await (await ask('/rules')).json()
  writeFileSync(path, written.replace('free: 5', 'free: 9'))
  const edited = await until(ask, ({ version }) => version !== first.version)
  for (let i = 0; i < 4; i++) assertAllowed(await ask('/api/items', as('ada')))
  await assertDenied(await ask('/api/items', as('ada')), 'api')

  writeFileSync(path, written.replace('free: 5', 'fre: 5'))
  const { version, stale } = await until(ask, ({ stale }) => stale !== undefined)
  assert.equal(version, edited.version)
  assert.match(stale, /"fre"/)
  await assertDenied(await ask('/api/items', as('ada')), 'api')
  return '5 requests, 9 after an edit of the file, and a mistake in it changes nothing'
}

/** The environment of the server: a copy of the file, which the check edits. */
export function ownRules() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-example-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'rules.yaml')
  copyFileSync(join(root, 'examples', 'rules', 'rules.yaml'), path)
  return { RULES: path }
}

async function until(ask, holds) {
  const deadline = Date.now() + appliesWithinMs
  for (;;) {
    const state = await (await ask('/rules')).json()
    if (holds(state)) return state
    assert.ok(Date.now() < deadline, `the edit does not apply within ${appliesWithinMs} ms`)
    await sleep(100)
  }
}
