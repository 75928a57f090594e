import { ofEnds } from './ends.js'
import type { Fault } from './fault.js'
import { ofGroups } from './groups.js'
import { ofKeysAndBytes } from './keys-and-bytes.js'
import { ofTimes } from './times.js'
import { ofTraffic } from './traffic.js'
import { ofVersions } from './versions.js'

export { Data } from './fault.js'

export const faults: readonly Fault[] = [
  ...ofKeysAndBytes,
  ...ofVersions,
  ...ofGroups,
  ...ofTimes,
  ...ofEnds,
  ...ofTraffic,
]
