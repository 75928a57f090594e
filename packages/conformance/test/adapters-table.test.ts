import { describeTable, express } from '@sluice/conformance/adapters'

describeTable([...express])
