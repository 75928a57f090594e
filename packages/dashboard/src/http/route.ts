/** The part of a request that the route depends on. Express, Koa and others strip the path of their mount from `url`, and keep the whole one. */
export interface RoutedRequest {
  readonly url?: string | undefined
  readonly originalUrl?: unknown
}

/** The part of the dashboard that answers a request. */
export type Route =
  | { readonly type: 'page' }
  /** The page without its trailing slash: its relative addresses would lead to the folder above. */
  | { readonly type: 'slash'; readonly location: string }
  | { readonly type: 'file'; readonly name: string }
  | { readonly type: 'api'; readonly name: ApiName; readonly query: URLSearchParams }
  | { readonly type: 'unknown' }

export type ApiName = 'view' | 'key' | 'search' | 'act'

const apis: readonly ApiName[] = ['view', 'key', 'search', 'act']

/**
 * Finds the route of a request. A framework that strips the path of the mount shows it by another `originalUrl`. Otherwise only the end of the path counts, because
 * the mount is not known.
 *
 * @param files the names of the files of the page
 */
export function routeOf({ url = '/', originalUrl }: RoutedRequest, files: Iterable<string>): Route {
  const whole = typeof originalUrl === 'string' ? originalUrl : url
  const [path, query] = partsOf(url)
  if (whole === url) return routeByEnd(path, query, files)
  if (path === '/' || path === '') {
    const [wholePath] = partsOf(whole)
    return wholePath.endsWith('/') ? { type: 'page' } : withSlash(wholePath)
  }
  const name = path.slice(1)
  for (const file of files) if (file === name) return { type: 'file', name }
  const api = apis.find((one) => name === `api/${one}`)
  return api === undefined ? { type: 'unknown' } : apiRoute(api, query)
}

function routeByEnd(path: string, query: string, files: Iterable<string>): Route {
  if (path.endsWith('/') || path === '') return { type: 'page' }
  for (const name of files) if (path.endsWith(`/${name}`)) return { type: 'file', name }
  const api = apis.find((one) => path.endsWith(`/api/${one}`))
  if (api !== undefined) return apiRoute(api, query)
  const isName = !lastOf(path).includes('.') && !/\/api\/[^/]*$/.test(path)
  return isName ? withSlash(path) : { type: 'unknown' }
}

function apiRoute(name: ApiName, query: string): Route {
  return { type: 'api', name, query: new URLSearchParams(query) }
}

/** A relative address: a gateway may have changed the path before this name. */
function withSlash(path: string): Route {
  return { type: 'slash', location: `./${lastOf(path)}/` }
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function partsOf(url: string): readonly [path: string, query: string] {
  const at = url.indexOf('?')
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
}
