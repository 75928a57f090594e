import { concurrency, fixedWindow, type Limiter, type PolicyChoice } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import type { OpenSetup } from '../setup.js'

const basic = fixedWindow({ limit: 5, window: '1d' })
const pro = fixedWindow({ limit: 50, window: '1d' })
const choice: PolicyChoice = { policies: { pro } }

export function describeChosenPolicies(open: OpenSetup): void {
  /** A limiter of the basic plan, whose key has used 2 of each plan. */
  async function setup(): Promise<Limiter> {
    const limiter = (await open()).limiter({ basic })
    await limiter.consume('key', { cost: 2 })
    await limiter.consume('key', { ...choice, cost: 2 })
    return limiter
  }

  /** The units that the key has used of each plan, and how long each blocks it. */
  async function standOf(limiter: Limiter): Promise<unknown> {
    const { policies } = await limiter.status('key', { policies: { basic, pro } })
    return Object.entries(policies).map(([name, { used, blockedMs }]) => [name, used, blockedMs])
  }

  describe('policies chosen for one call, by a method other than consume', () => {
    test('status returns their counts', async () => {
      const limiter = await setup()
      const { policies } = await limiter.status('key', choice)
      expect([Object.keys(policies), policies['pro'].limit, policies['pro'].used]).toEqual([
        ['pro'],
        50,
        2,
      ])
    })

    test('penalize takes units of these policies only', async () => {
      const limiter = await setup()
      await limiter.penalize('key', 7, choice)
      expect(await standOf(limiter)).toEqual([
        ['basic', 2, 0],
        ['pro', 9, 0],
      ])
    })

    test('refund returns units to these policies only', async () => {
      const limiter = await setup()
      expect(await limiter.refund('key', 2, choice)).toBe(true)
      expect(await standOf(limiter)).toEqual([
        ['basic', 2, 0],
        ['pro', 0, 0],
      ])
    })

    test('block and unblock apply to these policies only', async () => {
      const limiter = await setup()
      await limiter.block('key', '1m', choice)
      expect(await standOf(limiter)).toEqual([
        ['basic', 2, 0],
        ['pro', 2, 60_000],
      ])
      await limiter.block('key', '1h')
      await limiter.unblock('key', choice)
      expect(await standOf(limiter)).toEqual([
        ['basic', 2, 3_600_000],
        ['pro', 2, 0],
      ])
    })

    test('renew and release find a lease of these policies', async () => {
      const limiter = (await open()).limiter({ basic })
      const slots = { policies: { slots: concurrency({ limit: 1, lease: '1m' }) } }
      const { lease } = await limiter.consume('key', slots)
      const id = lease?.id ?? 'none'
      expect(await limiter.renew('key', id, slots)).toBe(true)
      expect(await limiter.release('key', id, slots)).toBe(true)
      expect(await limiter.release('key', id, slots)).toBe(false)
      expect((await limiter.consume('key', slots)).allowed).toBe(true)
    })

    test('a record of keys must have their names', async () => {
      const limiter = await setup()
      const asked = async (): Promise<unknown> => limiter.status({ basic: 'key' }, choice)
      await expect(asked()).rejects.toMatchObject({ code: 'SLUICE_POLICY_NAME_UNKNOWN' })
    })

    const calls: readonly (readonly [string, (limiter: Limiter, wrong: object) => unknown])[] = [
      ['status', (limiter, wrong) => limiter.status('key', wrong)],
      ['penalize', (limiter, wrong) => limiter.penalize('key', 1, wrong)],
      ['refund', (limiter, wrong) => limiter.refund('key', 1, wrong)],
      ['block', (limiter, wrong) => limiter.block('key', '1m', wrong)],
      ['unblock', (limiter, wrong) => limiter.unblock('key', wrong)],
      ['release', (limiter, wrong) => limiter.release('key', 'id', wrong)],
      ['renew', (limiter, wrong) => limiter.renew('key', 'id', wrong)],
    ]
    test.each(calls)('%s refuses an option that it does not have', async (_name, call) => {
      const limiter = await setup()
      const asked = async (): Promise<unknown> => call(limiter, { unblock: true })
      await expect(asked()).rejects.toMatchObject({ code: 'SLUICE_OPTION_UNKNOWN' })
    })

    test('a refund of a decision accepts no other policies', async () => {
      const limiter = await setup()
      const decision = await limiter.consume('key')
      for (const more of [[1], [undefined, choice]]) {
        const asked = async (): Promise<unknown> =>
          Reflect.apply(limiter.refund, limiter, [decision, ...more])
        await expect(asked()).rejects.toMatchObject({ code: 'SLUICE_OPTION_INVALID' })
      }
      expect(await limiter.refund(decision)).toBe(true)
      expect(await standOf(limiter)).toEqual([
        ['basic', 2, 0],
        ['pro', 2, 0],
      ])
    })
  })
}
