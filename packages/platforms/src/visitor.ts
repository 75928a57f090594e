import { randomUUID } from 'node:crypto'

/** A client whose requests count alone. */
export interface Visitor {
  ask(path: string, init?: RequestInit): Promise<Response>
  /** The statuses of several requests, one after the other. */
  statuses(count: number, path: string, init?: RequestInit): Promise<number[]>
}

/**
 * A client of a server that runs.
 *
 * @param isProxied whether the server expects a proxy in front, which appends the address that it sees
 */
export function visitorOf(url: string, isProxied = false): Visitor {
  const name = randomUUID()

  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('X-Test', name)
    if (isProxied) headers.append('X-Forwarded-For', '127.0.0.1')
    return fetch(`${url}/${path}`, { redirect: 'manual', ...init, headers })
  }

  async function statuses(count: number, path: string, init?: RequestInit): Promise<number[]> {
    const seen: number[] = []
    for (let i = 0; i < count; i++) {
      const response = await ask(path, init)
      await response.text()
      seen.push(response.status)
    }
    return seen
  }

  return { ask, statuses }
}
