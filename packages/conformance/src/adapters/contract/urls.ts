import { describe, expect, test } from 'vitest'
import type { OpenServer } from '../test-server.js'

export function describeUrls(open: OpenServer): void {
  describe('the path and the query', () => {
    test.each(['app', 'route'] as const)('are those that the client sent (%s)', async (place) => {
      const urls: unknown[] = []
      const server = await open(
        {
          limit: 10,
          window: '1m',
          key: (_request, { url }) => {
            urls.push(url)
            return 'all'
          },
        },
        { place },
      )
      const sent = ['/items/1', '/items/%31?x=a%20b&x', '/items/1?q=http://host/path']
      for (const path of sent) expect((await server.get({}, path)).status).toBe(200)
      expect(urls).toEqual(sent)
    })
  })
}

/** HTTP/2 has no such form. */
export function describeTargets(open: OpenServer): void {
  test('a target with a host is routed and limited by its path', async () => {
    const urls: unknown[] = []
    const server = await open(
      {
        limit: 10,
        window: '1m',
        key: (_request, { url }) => {
          urls.push(url)
          return 'all'
        },
      },
      { place: 'route' },
    )
    expect((await server.get({}, 'http://other.example/items/1?x=1')).status).toBe(200)
    expect(urls).toEqual(['/items/1?x=1'])
  })
}
