/** A place in a program where options are written. */
export interface Call {
  readonly name: string
  /** The type of the options, in a program that begins with `preamble`. */
  readonly type: string
  /** The statement that contains the options. */
  readonly write: (options: string) => string
  /** Whether the types of a framework hide the documentation of an option where it is passed. */
  readonly isHidden?: (editor: string, option: string) => boolean
}

const packages = ['core', 'express', 'koa', 'fastify', 'nestjs', 'rules']

export const preamble: string = `
${packages.map((name) => `import * as ${name} from '@sluice/${name}'`).join('\n')}
import { fastify as createApp } from 'fastify'

const app = createApp()
declare const limiter: core.Limiter
declare const nothing: never
declare const policy: core.Policy

/** A value of an option, in any of the forms that have it. */
type Value<O, N> = O extends unknown ? (N extends keyof O ? Exclude<O[N], undefined> : never) : never
declare function value<O, N>(): Value<O, N>
`

/** The calls that are not calls of an exported function with a parameter \`options\`. */
export const otherCalls: readonly Call[] = [
  {
    name: 'a variable with options of Express',
    type: 'express.RateLimitOptions',
    write: (options) => `const inVariable: express.RateLimitOptions = ${options}`,
  },
  {
    name: 'the plugin of Fastify',
    type: 'fastify.RateLimitPluginOptions',
    write: (options) => `app.register(fastify.rateLimit, ${options})`,
    // Fastify also takes a function that returns the options, and every function has a `name`.
    isHidden: (_editor, option) => option === 'name',
  },
  {
    name: 'a route of Fastify',
    type: 'fastify.RateLimitOptions',
    write: (options) => `app.get('/', { config: { sluice: ${options} } }, () => '')`,
    // The type of the route is that of Fastify and that of the literal. TypeScript 7.0 shows nothing for a property with two declarations.
    isHidden: (editor) => editor === 'TypeScript 7',
  },
  {
    name: 'a placed limit of Fastify',
    type: 'fastify.RateLimitOptions',
    write: (options) => `app.sluice(${options})`,
  },
  {
    name: 'RateLimitModule.forRoot',
    type: 'nestjs.RateLimitModuleOptions',
    write: (options) => `nestjs.RateLimitModule.forRoot(${options})`,
  },
  {
    name: 'RateLimitModule.forRootAsync',
    type: 'nestjs.RateLimitOptions',
    write: (options) => `nestjs.RateLimitModule.forRootAsync({ useFactory: () => (${options}) })`,
  },
  {
    name: 'a list of limits of NestJS',
    type: 'nestjs.RateLimitOptions',
    write: (options) => `nestjs.RateLimit([${options}])`,
  },
  {
    name: 'consume',
    type: 'core.ConsumeOptions',
    write: (options) => `limiter.consume('key', ${options})`,
  },
  {
    name: 'consumeMany',
    type: 'core.KeyAndCost',
    write: (options) => `limiter.consumeMany([${options}])`,
  },
  {
    name: 'acquire',
    type: 'core.AcquireOptions',
    write: (options) => `limiter.acquire('key', ${options})`,
  },
  {
    name: 'refund',
    type: 'core.RefundOptions',
    write: (options) => `limiter.refund(nothing, ${options})`,
  },
  {
    name: 'reset',
    type: 'core.ResetOptions',
    write: (options) => `limiter.reset('key', ${options})`,
  },
  {
    name: 'a limited call',
    type: 'core.LimitedCall',
    write: (options) => `core.limited(limiter, () => (${options}))`,
  },
  {
    name: 'the wait of a limited call',
    type: `NonNullable<core.LimitedOptions['wait']>`,
    write: (options) => `core.limited(limiter, nothing, { wait: ${options} })`,
  },
  {
    name: 'a block',
    type: 'core.BlockOptions',
    write: (options) => `core.gcra({ limit: 5, window: '1m', block: ${options} })`,
  },
  ...['wait', 'resetOn'].map((option) => ({
    name: `${option} of a middleware`,
    type: `Exclude<koa.RateLimitOptions['${option}'], string | undefined>`,
    write: (options: string) => `koa.rateLimit({ limit: 5, window: '1m', ${option}: ${options} })`,
  })),
]
