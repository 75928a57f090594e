import { createLimiter, fixedWindow } from '@sluice/core'
import { expect, test } from 'vitest'
import { serveDashboard } from './served.js'

test('a list has the rows that the request asks for, and the number of all', async () => {
  const clock = (): number => Date.UTC(2026, 0, 1, 12)
  const limiter = createLimiter({
    name: 'view-rows',
    policies: fixedWindow({ limit: 1, window: '1m' }),
    clock,
  })
  const board = await serveDashboard({ limiters: { limiter }, clock })
  for (let k = 0; k < 60; k++) {
    for (let i = 0; i < 62 - k; i++) limiter.consume(`key-${k}`)
  }
  const first = (most: number) => Array.from({ length: most }, (_, k) => `key-${k}`)
  for (const [query, denied, top] of [
    ['', 20, 20],
    ['?rows=0', 0, 0],
    ['?rows=3', 3, 3],
    ['?rows=200', 60, 50],
  ] as const) {
    const [one] = (await board.view(query)).limiters
    expect([one.denied.map(({ key }) => key), one.deniedTotal]).toEqual([first(denied), 60])
    for (const { keys, total, unlisted } of [one.top.requests, one.top.denials]) {
      expect([keys.map(({ key }) => key), total]).toEqual([first(top), 50])
      expect(unlisted).toBe(keys === one.top.requests.keys ? 12 : 11)
    }
  }
})

test.each(['', '201', '-1', '1.5', 'all'])('a view with %j rows is refused', async (rows) => {
  const board = await serveDashboard()
  const answer = await fetch(`${board.url}api/view?rows=${rows}`)
  const error = {
    code: 'SLUICE_VIEW_REQUEST_INVALID',
    message: 'The request needs "rows" from 0 to 200.',
  }
  expect([answer.status, await answer.json()]).toMatchObject([400, { error }])
})
