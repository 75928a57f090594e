export { describeTable } from './describe-table.js'
export { describeKeepAlive } from './contract/connections/keep-alive.js'
export {
  describeAdapter,
  describeAdapterOver,
  describeFurtherPartsOver,
  describeInMemory,
  describeMainPartsOver,
  describeOnRedis,
  describeOtherParts,
  describePlatformParts,
} from './describe-adapter.js'
export { express } from './servers/express.js'
export { fetch } from './servers/fetch.js'
export { fastify } from './servers/fastify.js'
export { nestjs } from './servers/nestjs.js'
export { hono } from './servers/hono.js'
export { koa } from './servers/koa.js'
