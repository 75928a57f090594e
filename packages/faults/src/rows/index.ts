import type { Row } from '../scene.js'
import { unavailableRows, longPause, configuredRows, valkey } from './unavailable.js'
import { clusterRows } from './cluster.js'
import { deployRows } from './deploy.js'
import { postgresRows } from './postgres.js'
import { refusingRows, replaced } from './refusing.js'
import { sentinelRow } from './sentinel.js'
import { clockRows, unharmedRows } from './unharmed.js'

const singles = ['ioredis', 'node-redis 6', 'node-redis 4'] as const
const sentinels = ['ioredis Sentinel', 'node-redis 6 sentinel'] as const
const clusters = ['ioredis Cluster', 'node-redis 6 cluster', 'node-redis 4 cluster'] as const

/** Every fault that is played. The longest ones start first. */
export const rows: readonly Row[] = [
  longPause,
  ...sentinels.map(sentinelRow),
  ...clusters.flatMap(clusterRows),
  ...singles.flatMap((kind) =>
    [unavailableRows(kind), refusingRows(kind), unharmedRows(kind)].flat(),
  ),
  replaced,
  ...clockRows,
  ...deployRows,
  ...postgresRows,
  ...configuredRows,
  valkey,
]
