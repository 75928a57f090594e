import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { compiledRules, judged } from '../compiled.js'

test('values of 100,000 characters do not stay in memory', async () => {
  const program = `
    import { compileRules, parsedOf } from '@sluice/rules'
    const limit = { key: [], limit: 1, window: '1m' }
    const rules = await compileRules(parsedOf({
      version: 1,
      name: 'a',
      values: { user: 'string?' },
      rules: [
        { id: 'pattern', when: { user: { matches: '(a+)+$' } }, ...limit },
        { id: 'key', ...limit, key: 'user' },
        { id: 'override', ...limit, overrides: { of: 'user', entries: { ann: 5 } } },
      ],
    }))
    const judge = (i) => {
      const value = Buffer.from(String(i).padEnd(100_000, 'a')).toString()
      rules.judge({ url: '/' + value, method: 'GET', ip: '203.0.113.9', value: () => value }, 0)
    }
    for (let i = 0; i < 1500; i++) judge(i)
    console.log('done')`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    // All values together have 150 MB.
    ['--max-old-space-size=60', '--input-type=module', '--eval', program],
    { cwd: new URL('../..', import.meta.url) },
  )
  expect(stdout).toBe('done\n')
})

test('an override of a long value applies to that value alone', async () => {
  const long = 'a'.repeat(1000)
  const rules = await compiledRules(
    `  - { id: r, key: user, limit: 1, window: 1m, overrides: { of: user, entries: { ${long}: 7 } } }`,
  )
  const limitOf = (user: string): unknown => judged(rules, { values: { user } })
  for (const [user, limit] of [
    [long, 7],
    [`${long}b`, 1],
    [long, 7],
  ] as const) {
    expect(limitOf(user)).toMatchObject({ enforced: [{ policies: { r: { limit } } }] })
  }
})
