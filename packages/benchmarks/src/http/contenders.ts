import type { Contender } from './contender.js'

/** By framework. Each process loads only one of them. */
export const frameworks: Readonly<Record<string, () => Promise<readonly Contender[]>>> = {
  Express: async () => (await import('./express.js')).express,
  Koa: async () => (await import('./koa.js')).koa,
  Fastify: async () => (await import('./fastify.js')).fastify,
  Hono: async () => (await import('./hono.js')).hono,
  NestJS: async () => (await import('./nestjs.js')).nestjs,
}
