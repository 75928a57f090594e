import { setTimeout as delay } from 'node:timers/promises'
import type { Redis } from 'ioredis'

const followsWithinMs = 20_000

/**
 * Waits until a replica receives the writes of its master. It is not enough that the replica has the master's data: the master sends later writes only
 * from up to a second after that, and a failover before would lose them.
 */
export async function followed(replica: Redis, master: Redis): Promise<void> {
  const deadline = performance.now() + followsWithinMs
  while (!(await replica.info('replication')).includes('master_link_status:up')) {
    if (performance.now() > deadline) throw new Error('the replica did not reach its master')
    await delay(20)
  }
  // The command is replicated even if there is no key to delete.
  await master.flushall()
  if ((await master.wait(1, followsWithinMs)) === 0) {
    throw new Error('the replica did not follow its master')
  }
}
