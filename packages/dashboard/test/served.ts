import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { dashboardWith, type Dashboard, type DashboardOptions } from '../src/dashboard.js'
import type { KeyView, SearchView, View } from '../src/index.js'
import { pageFolder } from './page.js'

/** A dashboard behind real HTTP, until the test ends. */
export interface Served {
  readonly url: string
  readonly dashboard: Dashboard
  view(query?: string): Promise<View>
  key(limiter: string, named: { readonly key?: string; readonly exact?: string }): Promise<KeyView>
  search(limiter: string, cursor?: string): Promise<SearchView>
  /** Acts as the page does. */
  act(body: object): Promise<{ readonly status: number; readonly body: ActBody }>
}

export interface ActBody {
  readonly ok?: true
  readonly key?: KeyView
  readonly wasCounted?: boolean
  readonly error?: { readonly code: string; readonly message: string }
}

export const actHeaders: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  'x-sluice': '1',
  'sec-fetch-site': 'same-origin',
}

/** A dashboard with the page of the tests. Without `authorize`, each visitor may act. */
export function openDashboard(options: Partial<DashboardOptions>): Dashboard {
  const dashboard = dashboardWith<IncomingMessage>(
    { limiters: {}, authorize: () => 'write', ...options },
    pageFolder,
  )
  onTestFinished(async () => dashboard.close())
  return dashboard
}

export async function serveDashboard(options: Partial<DashboardOptions> = {}): Promise<Served> {
  const dashboard = openDashboard(options)
  const url = await listen((request, response) => dashboard.handler(request, response))
  return { ...clientOf(url), dashboard }
}

/** The requests of the page. */
export function clientOf(url: string): Omit<Served, 'dashboard'> {
  async function read<T>(path: string): Promise<T> {
    const response = await fetch(url + path)
    const body: unknown = await response.json()
    if (response.status !== 200) throw new Error(JSON.stringify(body))
    return body as T
  }
  return {
    url,
    view: async (query = '') => read<View>(`api/view${query}`),
    key: async (limiter, named) =>
      read<KeyView>(
        `api/key?${new URLSearchParams({
          limiter,
          ...(named.key !== undefined && { key: named.key }),
          ...(named.exact !== undefined && { exact: JSON.stringify(named.exact) }),
        }).toString()}`,
      ),
    search: async (limiter, cursor) =>
      read<SearchView>(
        `api/search?${new URLSearchParams({ limiter, ...(cursor && { cursor }) }).toString()}`,
      ),
    async act(body) {
      const init = { method: 'POST', headers: actHeaders, body: JSON.stringify(body) }
      const response = await fetch(`${url}api/act`, init)
      return { status: response.status, body: (await response.json()) as ActBody }
    },
  }
}

/** Starts a server on a free port of the loopback, until the test ends. Returns its address with a slash. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}/`
}
