import { describeAdapter, express } from '@sluice/conformance/adapters'

describeAdapter(express[0])
