import request from 'supertest'
import { describe, expect, test } from 'vitest'
import type { Handler } from '../../../src/index.js'
import { appOf, frameworks } from '../../apps.js'

/** A controller class that allows each of its routes once a minute, with either system of decorators. */
export interface Reports {
  read: Handler
  create: Handler
  /** The key function of its limit throws. */
  update: Handler
  remove: Handler
}

/** Tests `RateLimit` on the methods of a class. Each call of `reportsOf` makes a class with its own counters. */
export function describeDecorated(reportsOf: () => Reports): void {
  describe.each(frameworks)('%s', (_, create) => {
    const appWith = (reports: Reports) =>
      appOf(
        create,
        create()
          .get('/read/:id', (...call) => reports.read(...call))
          .get('/create', (...call) => reports.create(...call))
          .get('/update', (...call) => reports.update(...call))
          .get('/remove', (...call) => reports.remove(...call)),
      )

    test('a handler keeps its "this"', async () => {
      const { status, text, headers } = await request(appWith(reportsOf())).get('/read/1')
      expect([status, text]).toEqual([200, 'acme reads /read/1, 0 left'])
      expect(headers['ratelimit-policy']).toBe('"default";q=1;w=60')
    })

    test('a denied request does not reach the handler', async () => {
      const app = appWith(reportsOf())
      await request(app).get('/read/1').expect(200)
      const { status, headers, text } = await request(app).get('/read/1')
      expect([status, headers['retry-after']]).toEqual([429, '60'])
      expect(text).not.toContain('acme')
    })

    test('the functions of the options receive the request', async () => {
      const app = appWith(reportsOf())
      await request(app).get('/read/1').expect(200)
      await request(app).get('/read/2').expect(200)
      await request(app).get('/read/2').expect(429)
    })

    test('each method has its own counts', async () => {
      const app = appWith(reportsOf())
      await request(app).get('/read/1').expect(200)
      await request(app).get('/remove').expect(500)
      await request(app).get('/remove').expect(429)
    })

    test('an error of the limit reaches the error handler, and the request does not reach the handler', async () => {
      const { status, text } = await request(appWith(reportsOf())).get('/update')
      expect([status, text]).toEqual([500, 'Error: no key'])
    })

    test('an error that a handler rejects with or throws reaches the error handler', async () => {
      const app = appWith(reportsOf())
      const rejected = await request(app).get('/create')
      const thrown = await request(app).get('/remove')
      expect([rejected.status, rejected.text]).toEqual([500, 'Error: create is broken'])
      expect([thrown.status, thrown.text]).toEqual([500, 'Error: remove is broken'])
    })
  })
}
