import { describeAdapter, describePlatformParts, fastify } from '@sluice/conformance/adapters'
import { describe } from 'vitest'

const [http1, http2] = fastify
describeAdapter(http1)
describe(http2.name, () => describePlatformParts(http2))
