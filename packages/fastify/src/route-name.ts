/** Where a route that has been seen when it was declared carries its name. */
export const routeName: unique symbol = Symbol('@sluice/fastify: route')

interface Route {
  readonly method?: string | readonly string[]
  readonly url?: string
  readonly constraints?: object
}

/**
 * What the limiter of a route is called. The route that Fastify declares for HEAD has the name of the one that it stands beside (whatever
 * other methods that has, and with or without the slash that a prefix may end in), or a client would have its limit twice.
 */
export function nameOf({ method = [], url = '404', constraints = {} }: Route): string {
  const methods = typeof method === 'string' ? [method] : method
  const known = methods.includes('HEAD') || methods.includes('GET') ? 'GET' : methods[0]
  const path = url.replace(/(?<=.)\/$/, '')
  const under = JSON.stringify(constraints, (_, value: unknown) =>
    value instanceof RegExp ? String(value) : value,
  )
  return [known, path, under === '{}' ? '' : under].filter(Boolean).join(' ')
}
