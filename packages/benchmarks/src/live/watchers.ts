import { createDashboard, redisView } from '@sluice/dashboard'
import { prometheus } from '@sluice/metrics'
import { Redis } from 'ioredis'
import { Registry } from 'prom-client'

/** The subscribers of the decisions of a process that are measured. */
export const watchers = ['nothing', 'dashboard', 'metrics'] as const

export type Watcher = (typeof watchers)[number]

export function isWatcher(name: string | undefined): name is Watcher {
  return watchers.some((watcher) => watcher === name)
}

/** Starts a subscriber. A dashboard also writes its data to Redis, as one of several processes does. */
export function watch(watcher: Watcher, redisPort: number): void {
  if (watcher === 'metrics') prometheus(new Registry())
  if (watcher !== 'dashboard') return
  const share = redisView(new Redis(redisPort, '127.0.0.1'))
  createDashboard({ limiters: {}, authorize: () => 'read', share })
}
