import { describeAdapter, hono } from '@sluice/conformance/adapters'

describeAdapter(hono[1])
