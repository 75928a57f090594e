import { once } from 'node:events'
import process from 'node:process'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLimiter, fixedWindow } from '../../src/index.js'

const policy = fixedWindow({ limit: 1, window: '1h' })

test('a limiter warns once when its calls have used a thousand policy names, and continues to decide', async () => {
  const warnings: unknown[] = []
  const listen = (warning: unknown): void => void warnings.push(warning)
  process.on('warning', listen)
  const limiter = createLimiter({ name: 'api', policies: policy })
  const consume = (name: string): boolean =>
    limiter.consume('key', { policies: { [name]: policy } }).allowed

  for (let i = 0; i < 999; i++) consume(`${i}`)
  for (let i = 0; i < 999; i++) consume(`${i}`)
  await turn()
  expect(warnings).toEqual([])

  const warned = once(process, 'warning')
  expect([consume('one more'), consume('one more'), consume('and another')]).toEqual([
    true,
    false,
    true,
  ])
  await warned
  process.off('warning', listen)
  expect(warnings).toMatchObject([{ code: 'SLUICE_POLICY_NAMES_MANY' }])
})
