import { expect, test } from 'vitest'
import type { Handler } from '../../../src/index.js'
import { create, serve, statuses, type Send } from '../../apps.js'

/** A controller class that allows each of its routes once a minute, with either system of decorators. */
export interface Reports {
  read: Handler
  create: Handler
  remove: Handler
  later: Handler
  none: Handler
  /** The objects on which `read` was called. */
  readonly reached: readonly string[]
}

/** Tests `RateLimit` on the methods of a class. Each call of `reportsOf` makes a class with its own counters. */
export function describeDecorated(reportsOf: () => Reports): void {
  async function serveReports(reports = reportsOf(), log: string[] = []): Promise<Send> {
    const app = create({
      logger: { level: 'warn', stream: { write: (line: string) => void log.push(line) } },
    })
    app.get('/read/:id', (...call) => reports.read(...call))
    app.get('/create', (...call) => reports.create(...call))
    app.get('/remove', (...call) => reports.remove(...call))
    app.get('/later', (...call) => reports.later(...call))
    app.get('/none', (...call) => reports.none(...call))
    return serve(app)
  }

  test('a handler keeps its "this", and its return value is sent', async () => {
    const { status, body, headers } = await (await serveReports())('/read/1')
    expect([status, body]).toEqual([200, 'acme reads 1, 0 left'])
    expect(headers['ratelimit-policy']).toBe('"default";q=1;w=60')
  })

  test('a handler can send its response later', async () => {
    const log: string[] = []
    const send = await serveReports(reportsOf(), log)
    expect((await send('/later')).body).toBe('later')
    expect(log).toEqual([])
  })

  test('a handler can return null', async () => {
    expect(await (await serveReports())('/none')).toMatchObject({ status: 200, body: 'null' })
  })

  test('a denied request does not reach the handler', async () => {
    const reports = reportsOf()
    const send = await serveReports(reports)
    await send('/read/1')
    const { status, headers } = await send('/read/1')
    expect([status, headers['retry-after']]).toEqual([429, '60'])
    expect(reports.reached).toEqual(['/read/1'])
  })

  test('the functions of the options receive the request, and each method has its own counts', async () => {
    const send = await serveReports()
    expect(await statuses(send, 'GET /read/1', 'GET /read/2', 'GET /read/2')).toEqual([
      200, 200, 429,
    ])
    expect(await statuses(send, 'GET /remove', 'GET /remove')).toEqual([500, 429])
  })

  test('an error that a handler rejects with or throws reaches the error handler', async () => {
    const send = await serveReports()
    expect(await send('/create')).toMatchObject({ status: 500, body: 'Error: create is broken' })
    expect(await send('/remove')).toMatchObject({ status: 500, body: 'Error: remove is broken' })
  })
}
