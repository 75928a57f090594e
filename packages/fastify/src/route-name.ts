/** Where a route carries its name. */
export const routeName: unique symbol = Symbol('@sluice/fastify: route')

interface Route {
  readonly method?: string | readonly string[]
  readonly url?: string
  readonly constraints?: object
}

/**
 * What the limiter of a route is called. The route for HEAD that Fastify declares beside another has the same name, whatever other methods
 * that has, and with or without the slash that a prefix may end in: a client would have its limit twice.
 */
export function nameOf({ method = 'GET', url = '404', constraints }: Route): string {
  const methods = [method].flat()
  const first = methods.some((one) => one === 'GET' || one === 'HEAD') ? 'GET' : methods[0]
  const under = JSON.stringify(constraints, (_, value: unknown) =>
    value instanceof RegExp ? String(value) : value,
  )
  return `${first} ${url.replace(/(?<=.)\/$/, '')} ${under ?? ''}`.trimEnd()
}
