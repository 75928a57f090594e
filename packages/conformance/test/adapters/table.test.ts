import {
  describeTable,
  express,
  fastify,
  fetch,
  hono,
  koa,
  nestjs,
} from '@sluice/conformance/adapters'

describeTable([...express, ...koa, ...fastify, ...nestjs, ...fetch, ...hono])
