import { fixedWindow } from '@sluice/core'
import { expect, test } from 'vitest'
import { simulate } from '../../../src/simulate/index.js'
import { jsonLog, start } from '../logs.js'

/** The worst five minutes of requests at these times, of which the first in an hour is allowed. */
async function worstOf(times: readonly string[]): Promise<unknown> {
  const lines = times.map((time) => ({ at: Date.parse(`2026-11-20T${time}Z`), ip: '192.0.2.1' }))
  const { variants } = await simulate({
    log: jsonLog([{ at: start + 1, ip: '192.0.2.9' }, ...lines]),
    variants: { only: { policies: fixedWindow({ limit: 1, window: '1h' }) } },
  })
  return variants[0].worst
}

test('a request at exactly 10:05:00 belongs to the five minutes that begin then', async () => {
  expect(await worstOf(['10:00:01', '10:04:59.999', '10:05:00.000'])).toEqual({
    from: '2026-11-20T10:05:00.000Z',
    share: 1,
  })
})

test('one in the last millisecond before belongs to the five minutes that end then', async () => {
  expect(await worstOf(['10:02:01', '10:04:59', '10:04:59.999'])).toEqual({
    from: '2026-11-20T10:00:00.000Z',
    share: 0.666667,
  })
})

test('five minutes are those of the clock, and count only their own requests and denials', async () => {
  const times = ['10:04:00', '10:04:30', '10:06:00', '10:08:59', '11:03:59', '11:04:01', '11:04:02']
  expect(await worstOf(times)).toEqual({ from: '2026-11-20T10:05:00.000Z', share: 1 })
  expect(await worstOf(times.toSpliced(2, 2))).toEqual({
    from: '2026-11-20T11:00:00.000Z',
    share: 0.666667,
  })
})

test('the first of several with the same share is named', async () => {
  expect(await worstOf(['10:00:00', '10:06:00', '10:11:00'])).toEqual({
    from: '2026-11-20T10:05:00.000Z',
    share: 1,
  })
})
