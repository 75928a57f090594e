import type { View } from '@sluice/dashboard'
import { expect, test } from 'vitest'
import { ratesOf } from '../../src/live/rates.js'
import { plainLines } from '../../src/output/top-plain.js'
import { topLines, type TopOptions } from '../../src/output/top-table.js'
import { styleOf } from '../../src/output/style.js'
import { widthOf } from '../../src/text/width.js'
import { sluice } from '../sluice.js'
import { at, authorization, pageServer, topOf, viewOf } from '../live/page-server.js'

const style = styleOf({ write() {} }, { env: {} } as Parameters<typeof styleOf>[1])
const whole: TopOptions = {
  place: 'https://shop.example/limits/',
  columns: Infinity,
  rows: Infinity,
  keys: 20,
  style,
}

test('the tables show the rates of now, the denied keys and the keys with the most requests', () => {
  expect(topLines(viewOf({}), whole).join('\n'))
    .toBe(`sluice top  09:00:04 UTC  2 processes  https://shop.example/limits/

req/s  denied/s   share  last hour  denied  keys denied  limiter
  4.0       1.0  25.0 %      1 058      16            2  api

denials  allowed  limiter  by              denied key
  1 200  never    api      hour (blocked)  ["x\\u001b[31m\\u202ey"]
     15  in 42s   api      minute,hour     ann

requests  at least  limiter  key with the most requests
   1 200            api      ann
      90        50  api      bob`)
})

test.each([
  ['of one process are of the last step and the current one', 1, at, (12 + 8 + 2 + 4) / 14],
  ['of several are of a step that all have written', 2, at, 4],
  ['of several are of the last step, once all have written it', 2, at + 2000, 1.4],
])('the rates %s', (_, processes, now, asked) => {
  const view = viewOf({ processes, at: now })
  expect(ratesOf(view.limiters[0], view).asked).toBeCloseTo(asked, 9)
})

test('denials that deny no request have a column of their own, if there are any', () => {
  const view = viewOf({})
  const [api] = view.limiters
  const tried = { ...api, name: 'tried', series: { ...api.series, wouldDeny: [9, 1200] } }
  const lines = topLines(viewOf({ limiters: [api, tried] }), whole)
  expect(lines.slice(2, 5)).toEqual([
    'req/s  denied/s   share  last hour  denied  would deny  keys denied  limiter',
    '  4.0       1.0  25.0 %      1 058      16           0            2  api',
    '  4.0       1.0  25.0 %      1 058      16       1 209            2  tried',
  ])
  expect(plainLines(viewOf({ limiters: [tried] }))).toContain(
    'tried 4.0/s, 1.0 denied/s (25.0 %), 1 209 would be denied, 2 keys denied, most: ',
  )
})

test('a terminal gets as many rows and columns as it has, shared among the tables', () => {
  const [api] = viewOf({}).limiters
  const keys = Array.from({ length: 40 }, (_, i) => ({
    key: `key ${'鍵'.repeat(i)}`,
    count: 99,
    error: 0,
  }))
  const denied = keys.map(({ key }) => ({ ...api.denied[0], key }))
  const view = viewOf({
    limiters: [{ ...api, top: { ...api.top, requests: topOf(...keys) }, denied }],
  })
  for (const rows of [1, 5, 9, 12, 24, 60]) {
    for (const columns of [1, 20, 60]) {
      const lines = topLines(view, { ...whole, columns, rows })
      expect(lines.length).toBe(Math.min(rows, 48))
      expect(lines.filter((line) => widthOf(line) > columns)).toEqual([])
    }
  }
  const lines = topLines(view, { ...whole, columns: 60, rows: 24 })
  expect(lines.filter((line) => line.includes('minute,hour')).length).toBe(8)
  expect(lines.filter((line) => /^ {6}99 /.test(line)).length).toBe(8)
  expect(lines[0]).toContain('q quits')
})

test('--top limits the keys of each table', () => {
  const lines = topLines(viewOf({}), { ...whole, keys: 1 })
  expect(lines.filter((line) => /ann|202e|bob/.test(line)).length).toBe(2)
})

test('a table without room for its rows does not say that there are none', () => {
  for (const room of [{ rows: 8 }, { keys: 0 }]) {
    const lines = topLines(viewOf({}), { ...whole, ...room })
    expect(lines.map((line) => line.replace(/ .*/, ''))).toEqual([
      'sluice',
      '',
      'req/s',
      '',
      '',
      'denials',
      '',
      'requests',
    ])
  }
})

test('a view without requests says so', () => {
  expect(topLines(viewOf({ limiters: [] }), whole).slice(1)).toEqual([
    '',
    'no request yet',
    '',
    'no key is denied',
    '',
    'no requests',
  ])
})

const store = {
  name: 'redis',
  sinceAt: at,
  errors: 1200,
  lastError: { code: 'X', message: 'timed\u001bout', at },
}
const rules = { name: 'shop', version: 'ab', loadedAt: at, from: 'rules.yaml', rules: [] }

test.each<readonly [Partial<View>, readonly string[]]>([
  [
    { share: { state: 'none', notMerged: 0 } },
    ['only this process is shown: the dashboard has no option "share"'],
  ],
  [
    { share: { state: 'failed', notMerged: 0, error: 'no connection' } },
    ['only this process is shown: no connection'],
  ],
  [{ share: { state: 'ok', notMerged: 1 } }, ['not shown: 1 process of another version']],
  [
    { stores: [{ ...store, state: 'open', errors: 1 }] },
    ['store redis is unavailable, 1 error in the last hour: timed\\u{1b}out'],
  ],
  [{ share: { state: 'ok', notMerged: 2 } }, ['not shown: 2 processes of another version']],
  [{ stores: [{ ...store, state: 'ok' }] }, []],
  [
    { stores: [{ ...store, state: 'open' }] },
    ['store redis is unavailable, 1 200 errors in the last hour: timed\\u{1b}out'],
  ],
  [{ rules }, []],
  [
    { rules: { ...rules, refused: { at, code: 'X', message: 'line 3' } } },
    ['rules shop: refused since 2026-11-20T09:00:04.000Z: line 3'],
  ],
])('%j is said below the first line', (changes, notes) => {
  expect(topLines(viewOf(changes), whole).slice(1, 1 + notes.length)).toEqual(notes)
  expect(topLines(viewOf(changes), whole)[1 + notes.length]).toBe('')
})

test('a pipe gets one line for each limiter', () => {
  expect(plainLines(viewOf({}))).toBe(
    '2026-11-20T09:00:04.000Z api 4.0/s, 1.0 denied/s (25.0 %), 2 keys denied, most: ["x\\u001b[31m\\u202ey"]\n',
  )
  expect(plainLines(viewOf({ limiters: [], share: { state: 'ok', notMerged: 2 } }))).toBe(
    '2026-11-20T09:00:04.000Z no request yet\n2026-11-20T09:00:04.000Z not shown: 2 processes of another version\n',
  )
})

test('top --once prints the tables once, in colors only on a terminal', async () => {
  const page = await pageServer()
  const args = ['top', '--once', '--url', page.url, '--header', authorization]
  const { status, stdout, stderr } = await sluice(args)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toBe(`${topLines(viewOf({}), { ...whole, place: `${page.url}/` }).join('\n')}\n`)
  const colored = await sluice(args, { isTTY: true })
  expect(colored.stdout).toContain('\u001b[1msluice top')
  expect(colored.stdout).not.toContain('\u001b[?1049h')
})

test('top --once --json prints the view as the page sends it', async () => {
  const page = await pageServer()
  page.view = Object.assign(viewOf({}), { role: 'read' })
  const { stdout } = await sluice([
    'top',
    '--once',
    '--json',
    '--url',
    page.url,
    '--header',
    authorization,
  ])
  expect(JSON.parse(stdout)).toEqual(page.view)
  expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
})

test('a page that cannot be read at the start is an error', async () => {
  const page = await pageServer()
  expect(await sluice(['top', '--url', page.url], { isTTY: true })).toEqual({
    status: 1,
    stdout: '',
    stderr: `error: ${page.url}/ answers 403: This request has no role. (SLUICE_VIEW_FORBIDDEN)\n`,
  })
})

test.each([
  ['--interval', '0.1', /Write a number of seconds from 0\.5, such as 2\.\n$/],
  ['--top', '-1', /Write a whole number, such as 10\.\n$/],
])('top %s %s is refused', async (option, value, said) => {
  const { status, stderr } = await sluice(['top', '--url', 'http://127.0.0.1:1', option, value])
  expect(status).toBe(1)
  expect(stderr).toMatch(said)
})
