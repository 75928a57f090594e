import { Module, type INestApplication, type ModuleMetadata, type Type } from '@nestjs/common'
import { NestFactory, type AbstractHttpAdapter } from '@nestjs/core'
import core from '@nestjs/core/package.json' with { type: 'json' }
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { onTestFinished } from 'vitest'
import { fixedWindow, SluiceError, type RateLimitOptions } from '../src/index.js'

/** The moment at which everything happens, unless a test lets time pass. */
export const start: number = Date.UTC(2026, 0, 1)

/** One request a minute. */
export const once: Pick<RateLimitOptions, 'limit' | 'window' | 'algorithm' | 'clock'> = {
  limit: 1,
  window: '1m',
  algorithm: fixedWindow,
  clock: () => start,
}

type Platform = [name: string, adapter: (trust?: number | boolean) => AbstractHttpAdapter]

const nest = `NestJS ${core.version.split('.')[0]}`

/** On the NestJS that @nestjs/* stands for in this run: 11, or 10 in the project "nest10" of vitest. */
export const platforms: Platform[] = [
  [`${nest} on Express`, expressAdapter],
  [`${nest} on Fastify`, (trustProxy = false) => new FastifyAdapter({ trustProxy })],
]

function expressAdapter(trust?: number | boolean): AbstractHttpAdapter {
  const adapter = new ExpressAdapter()
  if (trust !== undefined) adapter.set('trust proxy', trust)
  return adapter
}

/** What TypeScript makes of decorators above a class and its methods; a compiler has either those of Nest or the standard ones. */
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

/** Makes an application that has no routes yet, and closes it when the test is over. */
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

/** Asks an application that listens. */
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

/** The statuses of so many requests, one after the other. */
export async function statuses(ask: Ask, path: string, times: number): Promise<number[]> {
  const found: number[] = []
  while (found.length < times) found.push((await ask(path)).status)
  return found
}

/** What happened when an application was to start. */
export async function codeOf(starting: Promise<unknown>): Promise<string> {
  try {
    await starting
    return 'started'
  } catch (error) {
    return error instanceof SluiceError ? error.code : String(error)
  }
}
