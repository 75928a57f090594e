export { describeTable } from './describe-table.js'
export { describeAdapter } from './describe-adapter.js'
export type {
  Adapter,
  Answer,
  App,
  Arrival,
  NeutralOptions,
  OptionsFor,
  Readers,
  Served,
  Visit,
} from './adapter.js'
export { express } from './servers/express.js'
export { fastify } from './servers/fastify.js'
export { nestjs } from './servers/nestjs.js'
export { koa } from './servers/koa.js'
