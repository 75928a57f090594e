import { describeAdapter, koa } from '@sluice/conformance/adapters'

for (const adapter of koa) describeAdapter(adapter)
