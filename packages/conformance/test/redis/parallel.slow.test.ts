import { randomUUID } from 'node:crypto'
import { rush } from '@sluice/conformance'
import { useRedis } from '@sluice/test-kit/redis'
import { expect, test } from 'vitest'
import { fifty } from './fifty.js'

const server = useRedis()

test.each(fifty)(
  'four processes are allowed exactly 50 of 200 requests, $name',
  async ({ policy }) => {
    const task = { port: server.port, name: randomUUID(), policy, requests: 50 }
    expect(await rush(4, task)).toBe(50)
  },
)
