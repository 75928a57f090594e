import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileSource, loadRules } from '@sluice/rules'
import { describe, expect, onTestFinished, test } from 'vitest'
import { servers } from './servers.js'
import { sendTarget } from './targets.js'

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'rules-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

/** Two limits of one version. A mixture of versions would show as unequal numbers in the header. */
function document(version: number): string {
  return `version: 1
name: reloaded
lists: { nets: { kind: address, file: nets-${version % 2}.txt } }
rules:
  - { id: a, key: [], limit: ${100_000 + version}, window: 1h, algorithm: gcra }
  - { id: b, when: { ip: { in: $nets } }, key: [], limit: ${100_000 + version}, window: 1h, algorithm: gcra }
`
}

describe.each(servers)('$name', ({ serve }) => {
  test('no request fails or meets two versions while the document is replaced, renamed and broken', async () => {
    const path = await folder()
    const file = join(path, 'rules.yaml')
    for (const i of [0, 1]) await writeFile(join(path, `nets-${i}.txt`), '127.0.0.0/8\n')
    await writeFile(file, document(0))
    const source = fileSource(file, { every: 20 })
    const rules = await loadRules({ source })
    const others = await Promise.all([1, 2].map(() => loadRules({ source: fileSource(file) })))
    onTestFinished(() => {
      for (const one of [rules, ...others]) one.close()
    })
    const port = await serve(rules)
    const run = { isOver: false }
    const seen = new Set<string | undefined>()
    const client = async (): Promise<void> => {
      while (!run.isOver) {
        const answer = await sendTarget(port, '/api/search')
        const limits = answer.header('ratelimit-policy')?.match(/q=\d+/g) ?? []
        expect([answer.status, limits]).toEqual([200, [limits[0], limits[0]]])
        seen.add(limits[0])
      }
    }
    const clients = Promise.all(Array.from({ length: 4 }, client))
    for (let version = 1; version <= 4; version++) {
      const next = join(path, `next-${version}`)
      await writeFile(next, document(version))
      // Renamed over, written in place, linked, broken, and removed for a moment.
      if (version % 4 === 0) await writeFile(file, document(version))
      else if (version % 4 === 1) await rename(next, file)
      else if (version % 4 === 2) {
        await rm(file)
        await symlink(next, file)
      } else {
        await writeFile(file, document(version).replace('limit:', 'limitt:'))
        await rules.reload().catch(() => {})
        expect(rules.state().stale?.code).toBe('SLUICE_RULES_INVALID')
        await rm(file)
        await pause(5)
        await rename(next, file)
      }
      await rules.reload()
    }
    run.isOver = true
    await clients
    expect(rules.state().stale).toBeUndefined()
    expect(rules.current.document.rules[0].limit).toBe(100_004)
    expect(seen.size).toBeGreaterThan(1)
    for (const one of others) {
      await one.reload()
      expect(one.state().version).toBe(rules.state().version)
    }
  })
})
