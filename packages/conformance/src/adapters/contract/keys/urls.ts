import type { RequestView } from '@sluice/core/http'
import { describe, expect, test } from 'vitest'
import type { OpenServer, TestServer } from '../../test-server.js'

export function describeUrls(open: OpenServer): void {
  describe('the path and the query', () => {
    test.each(['app', 'route'] as const)('are those that the client sent (%s)', async (place) => {
      const { server, urls } = await openNotingUrls(open, place)
      const sent = ['/items/1', '/items/%31?x=a%20b&x', '/items/1?q=http://host/path']
      for (const path of sent) expect((await server.get({}, path)).status).toBe(200)
      expect(urls).toEqual(sent)
    })
  })
}

/** HTTP/2 has no such form. */
export function describeTargets(open: OpenServer): void {
  test('a target with a host is routed and limited by its path', async () => {
    const { server, urls } = await openNotingUrls(open, 'route')
    expect((await server.get({}, 'http://other.example/items/1?x=1')).status).toBe(200)
    expect(urls).toEqual(['/items/1?x=1'])
  })
}

/** Opens a server with a key function that notes the URL of each request. */
async function openNotingUrls(
  open: OpenServer,
  place: 'app' | 'route',
): Promise<{ readonly server: TestServer; readonly urls: readonly unknown[] }> {
  const urls: unknown[] = []
  function key(_request: unknown, { url }: RequestView<unknown>): string {
    urls.push(url)
    return 'all'
  }
  return { server: await open({ limit: 10, window: '1m', key }, { place }), urls }
}
