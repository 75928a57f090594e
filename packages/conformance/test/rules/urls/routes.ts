/** The routes of every application by their ids, as documents of rules write them. No path fits two of them. */
export const routes = {
  literal: '/api/search',
  token: '/token',
  param: '/users/:id/posts',
  post: '/posts/:id',
  comments: '/posts/:id/comments',
  last: '/find/:id',
  image: '/img/:id.png',
  wild: '/files/**',
  below: '/u/:id/**',
  cart: '/shop/:id/cart',
} as const

/** The files of applications with a file server, by their ids. */
export const files = {
  secret: '/admin/x.txt',
  public: '/static/y.txt',
  mounted: '/mnt/admin/x.txt',
} as const

/** All patterns by the ids of what serves their paths. */
export const patterns: Readonly<Record<string, string>> = { ...routes, ...files }

/** The handler or the file that served a request, and what the framework told it. */
export interface Ran {
  readonly id: string
  /** The parameter `id` of the route. */
  readonly param?: unknown
  /** The parameter `id` of the query. */
  readonly query?: unknown
  readonly host?: string | undefined
}

/** Whether it is a route, which reads the query, and not a file. */
export function isRoute({ id }: Ran): boolean {
  return Object.hasOwn(routes, id)
}
