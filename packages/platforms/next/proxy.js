import { byHeader, byIp, proxyLimit } from '@sluice/fetch/next'

export const proxy = proxyLimit({
  name: 'proxy',
  limit: 2,
  window: '1h',
  address: { proxies: 1 },
  key: [byIp(), byHeader('X-Test')],
})

export const config = { matcher: '/page' }
