import request from 'supertest'
import { describe, expect, test } from 'vitest'
import { RateLimit, rateLimit, type Handler, type RateLimitOptions } from '../src/index.js'
import { appOf, frameworks } from './apps.js'

const nothing: unknown = undefined
const rejected = (): Promise<never> => Promise.reject(nothing)

describe.each(frameworks)(
  '%s: a promise that is rejected with nothing is an error',
  (_, create) => {
    test('of a handler of denials, and the denied request does not continue', async () => {
      const options: RateLimitOptions = { limit: 0, window: '1m', onDenied: rejected }
      const { status, text } = await request(appOf(create, rateLimit(options))).get('/')
      expect([status, text]).toEqual([500, 'SLUICE_THROWN'])
    })

    test('of a handler of a class, and the request does not continue to the next one', async () => {
      class Reports {
        @RateLimit({ limit: 9, window: '1m' })
        create(..._call: Parameters<Handler>): Promise<never> {
          return rejected()
        }
      }
      const reports = new Reports()
      const route = create().get('/', (...call) => void reports.create(...call))
      const app = appOf(create, route)
      const { status, text } = await request(app).get('/')
      expect([status, text]).toEqual([500, 'Error: a handler threw nothing'])
    })
  },
)
