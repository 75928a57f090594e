import { checkedIfGiven, readOptions } from '@sluice/core/http'
import type { Platform } from './platform.js'

/**
 * Where the address of a client comes from. No header is read unless this option names it.
 *
 * `{ proxies: n }` is for a server behind n proxies: the n-th entry of `X-Forwarded-For` from the right. If the runtime reports an address, which is that of
 * the last proxy, it is one more entry at the end. `{ header }` is for a platform that always overwrites this header. A function is for anything else.
 *
 * @default the address that the runtime reports
 */
export type AddressOption<R> =
  | { readonly proxies: number; readonly header?: undefined }
  | { readonly header: string; readonly proxies?: undefined }
  | ((request: R, platform: Platform | undefined) => string | null | undefined)

/** How to find the addresses of requests. */
export interface Addresses<R> {
  of(request: R, web: WithHeaders, platform: Platform | undefined): string | undefined
  /** The advice for a request without an address. */
  advice(): string
}

interface WithHeaders {
  readonly headers: { get(name: string): string | null }
}

/**
 * Reads the option `address`.
 *
 * @param reported returns the address that the runtime reports
 * @param advice returns the advice for a request without it
 * @throws SluiceError if the option is wrong
 */
export function addressesOf<R>(
  option: AddressOption<R> | undefined,
  reported: (request: R, platform: Platform | undefined) => string | undefined,
  advice: () => string = runtimeAdvice,
): Addresses<R> {
  readOptions('rateLimit', { address: option }, { address: addressReader })
  if (option === undefined) {
    return { of: (request, _web, platform) => reported(request, platform), advice }
  }
  if (typeof option === 'function') {
    return {
      of: (request, _web, platform) => option(request, platform) ?? undefined,
      advice: () => 'The function "address" has to return the address of every request',
    }
  }
  const { header } = option
  if (header !== undefined) {
    return {
      of: (_request, web) => web.headers.get(header)?.trim(),
      advice: () =>
        `As "address" says, it is in the header "${header}", which the platform in front has to set for every request`,
    }
  }
  const { proxies } = option
  return {
    of(request, web, platform) {
      const entries = (web.headers.get('x-forwarded-for')?.split(',') ?? []).map((entry) =>
        entry.trim(),
      )
      const own = reported(request, platform)
      const index = entries.length - proxies
      if (own !== undefined) entries.push(own)
      return entries[Math.max(0, index)]
    },
    advice: () =>
      `As "address" says, it is in X-Forwarded-For, which the proxies in front have to write. Their number is ${proxies}`,
  }
}

const addressReader = checkedIfGiven(
  `{ proxies: 1 } behind one proxy, { header: 'CF-Connecting-IP' } where the platform always writes that header, or a function of the request`,
  isAddressOption,
)

function isAddressOption(value: unknown): boolean {
  if (typeof value === 'function') return true
  if (typeof value !== 'object' || value === null) return false
  const [[name, content] = [], ...others] = Object.entries(value).filter(
    ([, given]) => given !== undefined,
  )
  if (others.length > 0) return false
  if (name === 'proxies') return Number.isSafeInteger(content) && content >= 1
  return name === 'header' && typeof content === 'string' && headerName.test(content)
}

/** RFC 9110, section 5.6.2. */
const headerName = /^[!#$%&'*+\-.^`|~\w]+$/

/** The advice if the runtime reports no address. */
export function runtimeAdvice(): string {
  const navigator: unknown = Reflect.get(globalThis, 'navigator')
  if (Reflect.get(Object(navigator), 'userAgent') === 'Cloudflare-Workers') {
    return `On Cloudflare Workers, pass address: { header: 'CF-Connecting-IP' }`
  }
  if ('Deno' in globalThis) {
    return `On Deno, pass the handler itself: Deno.serve(limit(handler)). Behind a proxy, pass address: { proxies: 1 }`
  }
  if ('Bun' in globalThis) {
    return `On Bun, pass the handler itself: Bun.serve({ fetch: limit(handler) }). Behind a proxy, pass address: { proxies: 1 }`
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
    'Pass the handler itself to a server that reports the address, such as @hono/node-server: serve({ fetch: limit(handler) }). Behind a proxy, pass ' +
    'address: { proxies: 1 }'
  )
}
