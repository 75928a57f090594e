import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { rateLimit as expressLimit } from '@sluice/express'
import { rateLimit as fastifyLimit } from '@sluice/fastify'
import { expect, onTestFinished, test } from 'vitest'

// An application that uses the package of another framework, or a package in another way than the page says, learns what to do.

const options = { limit: 1, window: '1m' } as const

@Module({})
class Empty {
  readonly isEmpty = true
}

async function nestOnFastify(): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(Empty, new FastifyAdapter(), {
    logger: false,
  })
  onTestFinished(async () => app.close())
  return app
}

async function statusesOf(app: NestFastifyApplication, times: number): Promise<number[]> {
  await app.listen(0, '127.0.0.1')
  const statuses: number[] = []
  while (statuses.length < times) statuses.push((await fetch(await app.getUrl())).status)
  return statuses
}

test.each([options, { ...options, key: 'all' }])(
  'the middleware of Express refuses the requests of NestJS on Fastify: %j',
  async (own) => {
    const thrown: unknown[] = []
    const app = await nestOnFastify()
    const limit = expressLimit(own)
    app.use((...request: Parameters<typeof limit>) => {
      try {
        limit(...request)
      } catch (error) {
        thrown.push(error)
        throw error
      }
    })
    expect(await statusesOf(app, 1)).toEqual([500])
    expect(thrown).toMatchObject([
      {
        code: 'SLUICE_REQUEST_INVALID',
        message: expect.stringContaining('app.register(rateLimit, { … }) of @sluice/fastify'),
      },
    ])
  },
)

test('the plugin of Fastify limits NestJS on Fastify, with the requests that match no route', async () => {
  const app = await nestOnFastify()
  await app.register(fastifyLimit, options)
  expect(await statusesOf(app, 2)).toEqual([404, 429])
})
