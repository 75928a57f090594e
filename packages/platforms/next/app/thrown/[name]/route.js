import { byHeader, byIp, rateLimit } from '@sluice/fetch/next'
import { notFound, redirect } from 'next/navigation'

// Both functions throw. Next.js makes the response.
const failures = rateLimit({
  limit: 1,
  window: '1h',
  count: 'failures',
  address: { proxies: 1 },
  key: [byIp(), byHeader('X-Test')],
})

export const GET = failures(async (_request, { params }) => {
  const { name } = await params
  if (name === 'redirect') redirect('/page')
  notFound()
})
