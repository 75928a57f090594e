import { describeAdapter, koa } from '@sluice/conformance/adapters'

describeAdapter(koa[1])
