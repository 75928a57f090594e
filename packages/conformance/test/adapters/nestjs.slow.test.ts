import { describeAdapter, describePlatformParts, nestjs } from '@sluice/conformance/adapters'
import { describe } from 'vitest'

// With NestJS 11, or with NestJS 10 in the vitest project "nest10".
const [onExpress, onFastify] = nestjs
describeAdapter(onExpress)
describe(onFastify.name, () => describePlatformParts(onFastify))
