import { setTimeout as delay } from 'node:timers/promises'
import type { Redis } from 'ioredis'

const followsWithinMs = 20_000

/**
 * Waits until a replica follows what is written on its master. That it has the master's data says less: the master begins to send on what comes
 * after it only up to a second later, and what it told meanwhile would be lost with it.
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
