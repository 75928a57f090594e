import {
  describeAdapterOver,
  describeFurtherPartsOver,
  describeOnRedis,
  describeOtherParts,
  fastify,
  fetch,
  hono,
  koa,
  nestjs,
} from '@sluice/conformance/adapters'
import { describe } from 'vitest'

// The parts of the contract that the quick tests of these adapters omit.

const whole = [koa[1], fastify[0], nestjs[0], fetch[0], hono[1]]
describe.each(whole)('$name', (adapter) => {
  describeOnRedis(adapter, describeFurtherPartsOver)
})

const variants = [fastify[1], nestjs[1]]
describe.each(variants)('$name', (adapter) => {
  describeOtherParts(adapter)
  describeOnRedis(adapter, describeAdapterOver)
})
