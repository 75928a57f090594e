import { describeKeepAlive, nestjs } from '@sluice/conformance/adapters'

for (const adapter of nestjs) describeKeepAlive(adapter)
