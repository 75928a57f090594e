import { describeAdapter, nestjs } from '@sluice/conformance/adapters'

// With NestJS 11, or with NestJS 10 in the vitest project "nest10".
for (const adapter of nestjs) describeAdapter(adapter)
