import { describeAdapter, describeAdapterOver, express } from '@sluice/conformance/adapters'

// All parts on Redis. The other adapters have some of them in the slow tests.
describeAdapter(express[1], describeAdapterOver)
