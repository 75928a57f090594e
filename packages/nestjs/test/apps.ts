import { Module, type INestApplication, type ModuleMetadata, type Type } from '@nestjs/common'
import { NestFactory, type AbstractHttpAdapter } from '@nestjs/core'
import core from '@nestjs/core/package.json' with { type: 'json' }
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { onTestFinished } from 'vitest'
import {
  createLimiter,
  fixedWindow,
  memoryStore,
  SluiceError,
  type Policy,
  type MemoryStore,
} from '../src/index.js'

/** The time of the clock at the start. Only a test advances it. */
export const start: number = Date.UTC(2026, 0, 1)

/** One request a minute. */
export const once: {
  limit: number
  window: '1m'
  algorithm: typeof fixedWindow
  clock: () => number
} = {
  limit: 1,
  window: '1m',
  algorithm: fixedWindow,
  clock: () => start,
}

type Platform = [name: string, adapter: (trust?: number | boolean) => AbstractHttpAdapter]

const nest = `NestJS ${core.version.split('.')[0]}`

/** With NestJS 11, or with NestJS 10 in the vitest project "nest10". */
export const platforms: Platform[] = [
  [`${nest} on Express`, expressAdapter],
  [`${nest} on Fastify`, (trustProxy = false) => new FastifyAdapter({ trustProxy })],
]

function expressAdapter(trust?: number | boolean): AbstractHttpAdapter {
  const adapter = new ExpressAdapter()
  if (trust !== undefined) adapter.set('trust proxy', trust)
  return adapter
}

/** Applies decorators as TypeScript compiles them, because the tests are compiled with standard decorators and Nest's are experimental. */
export function decorate<T>(
  type: Type<T>,
  above: ClassDecorator[],
  methods: Partial<Record<keyof T & string, MethodDecorator[]>>,
): Type<T> {
  for (const name of Object.keys(methods)) {
    const descriptor = Object.getOwnPropertyDescriptor(type.prototype, name)
    for (const decorator of methods[name as keyof T & string]?.toReversed() ?? []) {
      decorator(type.prototype, name, descriptor as PropertyDescriptor)
    }
    Object.defineProperty(type.prototype, name, descriptor as PropertyDescriptor)
  }
  for (const decorator of above.toReversed()) decorator(type)
  return type
}

/** Makes an application without routes, which is closed at the end of the test. */
export async function create(
  adapter: AbstractHttpAdapter,
  metadata: ModuleMetadata,
): Promise<INestApplication> {
  class AppModule {}
  Module(metadata)(AppModule)
  const app = await NestFactory.create(AppModule, adapter, { logger: false, abortOnError: false })
  onTestFinished(() => app.close())
  return app
}

/** Sends a request to an application that listens. */
export type Ask = (path: string, request?: RequestInit) => Promise<Answer>

export interface Answer {
  status: number
  headers: Headers
  text: string
}

export async function listen(app: INestApplication): Promise<Ask> {
  await app.listen(0, '127.0.0.1')
  const url = await app.getUrl()
  return async (path, request) => {
    const response = await fetch(url + path, request)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
}

export async function serve(adapter: AbstractHttpAdapter, metadata: ModuleMetadata): Promise<Ask> {
  return listen(await create(adapter, metadata))
}

/** The statuses of this many requests, one after the other. */
export async function statuses(ask: Ask, path: string, times: number): Promise<number[]> {
  const found: number[] = []
  while (found.length < times) found.push((await ask(path)).status)
  return found
}

/** The error code of an application that fails to start. */
export async function codeOf(starting: Promise<unknown>): Promise<string> {
  try {
    await starting
    return 'started'
  } catch (error) {
    return error instanceof SluiceError ? error.code : String(error)
  }
}

/** The options of a limit that counts by one key, and how many of its units are used. */
export function counted(policies: Policy): {
  options: { name: string; policies: Policy; store: MemoryStore; key: string }
  used: () => number
} {
  const store = memoryStore()
  const limiter = createLimiter({ name: 'counted', policies, store })
  return {
    options: { name: 'counted', policies, store, key: 'all' },
    used: () => limiter.status('all').policies['default'].used,
  }
}
