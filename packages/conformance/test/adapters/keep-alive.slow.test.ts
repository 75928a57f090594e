import { describeKeepAlive, express, fastify, koa } from '@sluice/conformance/adapters'

for (const adapter of [...express, ...koa, ...fastify]) describeKeepAlive(adapter)
