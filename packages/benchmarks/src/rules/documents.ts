import type { Facts, RulesDocument } from '@sluice/rules'

/** A document, and requests of which each meets one of its rules. */
export interface Workload {
  readonly name: string
  readonly document: RulesDocument
  readonly requests: readonly Facts[]
}

/** Rules by path, method and plan, of which each request meets one. */
export function byPath(count: number): Workload {
  return {
    name: 'path, method, plan',
    document: {
      version: 1,
      name: `path-${count}`,
      values: { plan: ['free', 'pro'] },
      rules: Array.from({ length: count }, (_, i) => ({
        id: `r${i}`,
        when: { path: `/v${i}/items/**`, method: ['GET', 'POST'], plan: 'pro' },
        limit: 100,
        window: '1m',
      })),
    },
    requests: requestsOf(count, (rule) => ({ url: `/v${rule}/items/7?page=2`, plan: 'pro' })),
  }
}

/** Rules by action, method and header, as a service without HTTP has them. */
export function byAction(count: number): Workload {
  return {
    name: 'action, method, header',
    document: {
      version: 1,
      name: `action-${count}`,
      values: { action: 'string', user: 'string' },
      rules: Array.from({ length: count }, (_, i) => ({
        id: `r${i}`,
        when: { action: `action-${i}`, method: 'POST', 'header.x-client': ['web', 'app'] },
        key: 'user',
        limit: 100,
        window: '1m',
      })),
    },
    requests: requestsOf(count, (rule, i) => ({ action: `action-${rule}`, user: `user:${i}` })),
  }
}

/** Fewer than the paths whose searches are cached. */
const requestCount = 500

function requestsOf(
  count: number,
  make: (rule: number, request: number) => Readonly<Record<string, string>>,
): readonly Facts[] {
  return Array.from({ length: requestCount }, (_, i) => {
    // A step that shares no factor with the number of rules.
    const { url = '/', ...values } = make((i * 7919) % count, i)
    const ip = `203.0.${i >> 8}.${i & 255}`
    return { method: 'POST', url, ip, header: () => 'web', value: (name: string) => values[name] }
  })
}
