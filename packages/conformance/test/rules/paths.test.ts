import { loadRules, staticSource } from '@sluice/rules'
import { describe, expect, test } from 'vitest'
import { routes, servers } from './servers.js'
import { sendTarget, targets } from './targets.js'

const ids = Object.keys(routes)

describe.each(servers)('$name', ({ serve }) => {
  test('no spelling of a path that is served avoids the limit of its route', async () => {
    const port = await serve(
      await loadRules({
        source: staticSource({
          version: 1,
          name: 'limits',
          rules: Object.entries(routes).map(([id, path]) => ({
            id,
            when: { method: 'GET', path },
            key: [],
            limit: 1000,
            window: '1h',
          })),
        }),
      }),
    )
    const served = new Set<string>()
    for (const target of targets) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await sendTarget(port, target, { method })
        const route = answer.header('x-route')
        if (route === undefined) continue
        served.add(route)
        const limited = answer.header('ratelimit')?.match(/"\w+"/g) ?? []
        expect([method, target, limited]).toEqual([
          method,
          target,
          expect.arrayContaining([`"${route}"`]),
        ])
      }
    }
    expect([...served].toSorted()).toEqual(ids.toSorted())
  })

  test('no spelling of a path receives the exemption of another path, or of all other paths', async () => {
    const { literal, wild, ...others } = routes
    const port = await serve(
      await loadRules({
        source: staticSource({
          version: 1,
          name: 'exemptions',
          rules: [
            { id: 'free', when: { path: '/public/**' }, then: 'allow' },
            {
              id: 'rest',
              when: {
                all: Object.values(others).map((path) => ({ not: { path } })),
                path: { not: [literal, wild] },
              },
              then: 'allow',
            },
            { id: 'all', key: [], limit: 100_000, window: '1h' },
          ],
        }),
      }),
    )
    const climbing = Object.values(routes).flatMap((path) => {
      const below = path.replace(/:\w+|\*\*/, 'x').slice(1)
      return [
        `/public/../${below}`,
        `/public/%2e%2e/${below}`,
        `/public\\..\\${below}#`,
        `/public/..;/${below}`,
      ]
    })
    for (const target of [...targets, ...climbing]) {
      const answer = await sendTarget(port, target)
      if (answer.header('x-route') === undefined) continue
      expect([target, answer.header('ratelimit')?.slice(0, 5)]).toEqual([target, '"all"'])
    }
    expect((await sendTarget(port, '/public/x')).header('ratelimit')).toBeUndefined()
  })
})
