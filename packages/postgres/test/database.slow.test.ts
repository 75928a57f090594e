import { usePostgres } from '@sluice/test-kit/postgres'
import { describePostgresJs, isTraffic } from './postgres-js.js'

describePostgresJs(usePostgres(), isTraffic)
