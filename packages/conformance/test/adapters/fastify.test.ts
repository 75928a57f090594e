import { describeAdapter, fastify } from '@sluice/conformance/adapters'

for (const adapter of fastify) describeAdapter(adapter)
