import { describeTable, express, fastify, koa, nestjs } from '@sluice/conformance/adapters'

describeTable([...express, ...koa, ...fastify, ...nestjs])
