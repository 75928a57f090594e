import { usePostgres } from '@sluice/conformance/postgres'
import { describePostgresJs, isTraffic } from './postgres-js.js'

describePostgresJs(usePostgres(), isTraffic)
