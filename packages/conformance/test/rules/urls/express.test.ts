import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as onExpress from '@sluice/express'
import express5 from 'express'
import express4 from 'express4'
import { describe, expect, onTestFinished, test } from 'vitest'
import { all, load, many, overHttp1, type Get, type Rule } from './sending.js'

describe.each([
  ['Express 4', express4, '*'],
  ['Express 5', express5, '*rest'],
] as const)('%s', (_, create, star) => {
  async function served(rules: readonly Rule[]): Promise<Get> {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const [name, text] of [
      ['static', 'public'],
      ['admin', 'secret'],
    ]) {
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, 'x.txt'), text)
    }
    const app = create()
    app.use(onExpress.rateLimit({ rules: await load(rules) }))
    for (const path of ['/posts/:id', '/posts/:id/comments', `/files/${star}`, '/api/search']) {
      app.get(path, (_request, response) => void response.type('text').send(path))
    }
    const tenant = create.Router()
    tenant.get('/search', (_request, response) => void response.type('text').send('of a tenant'))
    app.use('/:tenant', tenant)
    app.use(create.static(folder))
    return overHttp1((request, response) => void app(request, response))
  }

  test('a file outside of an exempted folder is limited, in whatever way its path climbs', async () => {
    for (const when of [{ path: '/static/**' }, { not: { path: '/admin/**' } }]) {
      const get = await served([{ id: 'free', when, then: 'allow' }, all])
      expect(await get('/static/x.txt')).toEqual(['public'])
      for (const target of [
        '/static/..%2Fadmin/x.txt',
        '/static/..%2fadmin/x.txt',
        '/static/%2E%2E%2Fadmin/x.txt',
        '/static/../admin/x.txt',
        '/static%2F..%2Fadmin%2Fx.txt',
      ]) {
        expect([target, ...(await get(target))]).toEqual([target, 'secret', 'all'])
      }
    }
  })

  test('a backslash before a hash does not exempt another route', async () => {
    for (const when of [{ path: '/posts/:id' }, { path: { not: '/posts/:id/comments' } }]) {
      const get = await served([{ id: 'free', when, then: 'allow' }, all])
      expect(await get('/posts/1')).toEqual(['/posts/:id'])
      expect(await get('/posts/1\\comments#')).toEqual(['/posts/:id/comments', 'all'])
    }
  })

  test('a prefix that has another length after parsing does not hide the route behind it', async () => {
    const get = await served([
      { id: 'search', when: { path: '/:tenant/search' }, key: [], ...many },
      { id: 'api', when: { path: '/api/search' }, key: [], ...many },
    ])
    expect(await get('/a/search')).toEqual(['of a tenant', 'search'])
    // The prefix "/%5E%5E%5Ex" is as long as "/^^^x/../y/", so that Express routes the rest "search".
    expect(await get('/^^^x/../y/search#')).toEqual(['of a tenant', 'search', 'api'])
  })

  test.each(['api.example:x', 'api.example:80:80', 'api.example:-1', 'api.example: 80'])(
    'the host %s is that of the application',
    async (host) => {
      const get = await served([
        { id: 'others', when: { host: { not: 'api.example' } }, then: 'allow' },
        { id: 'api', when: { host: 'api.example' }, key: 'host', ...many },
        all,
      ])
      expect(await get('/api/search', host)).toEqual(['/api/search', 'api', 'all'])
      expect(await get('/api/search', 'other.example:80')).toEqual(['/api/search'])
    },
  )
})
