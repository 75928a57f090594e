import { availableParallelism, cpus } from 'node:os'
import type { Redis } from 'ioredis'
import type { Results } from './results.js'

type Conditions = Results['conditions']

/** The machine, and the versions of Node and, if a section uses it, of Redis. */
export async function conditionsOf(admin?: Redis): Promise<Conditions> {
  const [{ model } = { model: 'unknown' }] = cpus()
  const machine = { cpu: model, cores: `${availableParallelism()}`, node: process.versions.node }
  if (admin === undefined) return machine
  const [, redis = 'unknown'] = /^redis_version:(.*?)\r?$/m.exec(await admin.info('server')) ?? []
  return { ...machine, redis }
}

export function sentenceOf({ cpu, cores, node, redis }: Conditions): string {
  const server = redis === undefined ? '' : `, Redis ${redis}`
  return `${cpu}, ${cores} cores, Node ${node}${server}.`
}
