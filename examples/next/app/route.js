import { decisionOf } from '@sluice/fetch/next'
import { requests } from '../limits.js'

export const GET = requests((request) => {
  const { remaining, limit } = decisionOf(request)
  return new Response(`Hello. You have ${remaining} of ${limit} requests left.\n`)
})
