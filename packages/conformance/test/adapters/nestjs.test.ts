import { describeAdapter, nestjs } from '@sluice/conformance/adapters'

// On the NestJS that the run stands for: 11, or 10 in the project "nest10".
for (const adapter of nestjs) describeAdapter(adapter)
