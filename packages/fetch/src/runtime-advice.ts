/**
 * The advice if the runtime reports no address.
 *
 * @param handler the code of the handler that the server calls
 */
export function runtimeAdvice(handler: string = 'limit(handler)'): string {
  const navigator: unknown = Reflect.get(globalThis, 'navigator')
  if (Reflect.get(Object(navigator), 'userAgent') === 'Cloudflare-Workers') {
    return `On Cloudflare Workers, pass address: { header: 'CF-Connecting-IP' }`
  }
  if ('Deno' in globalThis) {
    return `On Deno, pass the handler itself: Deno.serve(${handler}). Behind a proxy, pass address: { proxies: 1 }`
  }
  if ('Bun' in globalThis) {
    return `On Bun, pass the handler itself: Bun.serve({ fetch: ${handler} }). Behind a proxy, pass address: { proxies: 1 }`
  }
  const env = globalThis.process?.env ?? {}
  const platform = ['VERCEL', 'NETLIFY'].find((name) => env[name] !== undefined)
  if (platform !== undefined) return 'On Vercel and Netlify, pass address: { proxies: 1 }'
  if (env['NEXT_RUNTIME'] !== undefined) {
    return (
      'Behind one proxy, pass address: { proxies: 1 }. Without a proxy, Next.js passes on the X-Forwarded-For that the client wrote, and no address is safe: ' +
      'put a proxy in front'
    )
  }
  return (
    `Pass the handler itself to a server that reports the address, such as @hono/node-server: serve({ fetch: ${handler} }). Behind a proxy, pass ` +
    'address: { proxies: 1 }'
  )
}
