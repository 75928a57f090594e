import type { Contender } from './contender.js'

/** By framework: each process loads its own and no other. */
export const frameworks: Readonly<Record<string, () => Promise<readonly Contender[]>>> = {
  Express: async () => (await import('./express.js')).express,
  Koa: async () => (await import('./koa.js')).koa,
  Fastify: async () => (await import('./fastify.js')).fastify,
  NestJS: async () => (await import('./nestjs.js')).nestjs,
}
