import type { Decision } from '@sluice/core'
import { expect, test } from 'vitest'
import type { OpenServer } from '../../test-server.js'
import { limitFields } from '../limit-fields.js'
import { asks, consumption, pass, perMinute, serveRules } from './served-rules.js'

export function describeJudgement(open: OpenServer): void {
  test('judge each request once, by the request and its view', async () => {
    const views: unknown[] = []
    const server = await serveRules(open, ({ header }) => (request, { method, url }) => {
      views.push([header(request, 'x-name'), method, url])
      return pass()
    })
    const reply = await server.get({ 'x-name': 'Ann' }, '/items/1?x=1', 'POST')
    expect([reply.status, reply.body, limitFields(reply)]).toEqual([200, 'hello', {}])
    expect(views).toEqual([['Ann', 'POST', '/items/1?x=1']])
    expect(server.verbs).toEqual([])
  })

  test('set their decision on the request', async () => {
    const server = await serveRules(open, () => () => ({
      ...asks({
        enforced: [consumption({ day: { policy: perMinute(9) } })],
        tagging: [
          consumption({
            points: { policy: perMinute(0), outcome: { type: 'tag', tag: 'none' } },
          }),
        ],
        shadow: [consumption({ shadow: { policy: perMinute(0) } })],
      }),
      tags: ['known'],
    }))
    const reply = await server.get({ 'x-answer': 'decision' })
    expect(reply.headers['ratelimit']).toBe('"day";r=8;t=60')
    const decision: Decision = JSON.parse(reply.body)
    expect(decision).toMatchObject({ allowed: true, remaining: 8, applied: ['day', 'points'] })
    expect(decision).toMatchObject({ tags: ['known', 'none'], rules: 'v1' })
    expect(Object.keys(decision.policies)).toEqual(['day', 'points'])
  })

  test('that do not apply set a decision if there are tags, and none otherwise', async () => {
    const server = await serveRules(open, ({ header }) => (request) => ({
      ...pass(),
      tags: header(request, 'x-tag') === undefined ? [] : ['known'],
    }))
    const ask = { 'x-answer': 'decision' }
    expect((await server.get(ask)).body).toBe('null')
    const { body } = await server.get({ ...ask, 'x-tag': '1' })
    expect(JSON.parse(body)).toMatchObject({ allowed: true, applied: [], tags: ['known'] })
  })

  test('fail a request with the error of their judgement', async () => {
    const server = await serveRules(open, () => () => {
      throw new Error('no such value')
    })
    expect((await server.get()).status).toBe(500)
    expect(server.errors.map(String)).toEqual(['Error: no such value'])
    expect(server.reached).toEqual([])
  })
}
