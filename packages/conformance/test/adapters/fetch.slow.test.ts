import { describeAdapter, fetch } from '@sluice/conformance/adapters'

describeAdapter(fetch[0])
