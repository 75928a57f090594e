import { describeAdapter, express } from '@sluice/conformance/adapters'

for (const adapter of express) describeAdapter(adapter)
