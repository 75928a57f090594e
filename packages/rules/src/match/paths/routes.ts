import type { Facts } from '../../facts.js'

/** The URLs of a request as its framework routes them. */
export interface Routes {
  /** The URL that the client sent. If the framework ends the path at a semicolon, it is a "?" here. */
  readonly target: string
  /** Another URL, which the framework routes. */
  readonly other: string | undefined
  /** Whether a semicolon can end the path, too. */
  readonly semicolon: 'unknown' | 'known'
}

/** Applies what the framework states about its router. */
export function routesOf(url: string, facts: Facts): Routes {
  const { routedUrl, semicolonEndsPath } = facts
  const split = (text: string): string =>
    semicolonEndsPath === true ? text.replace(/^([^?#;]*);/, '$1?') : text
  const isRewritten = routedUrl !== undefined && routedUrl !== url
  return {
    target: split(url),
    other: isRewritten ? split(routedUrl) : withEmptyParameter(url, facts),
    semicolon: semicolonEndsPath === undefined ? 'unknown' : 'known',
  }
}

/** Fastify routes `/` to `/:id` if it has no other route for it: the path of an empty parameter. */
function withEmptyParameter(url: string, { params }: Facts): string | undefined {
  if (!/^\/(?:[?#;]|$)/.test(url) || params === undefined) return undefined
  return Object.values(params).includes('') ? '/%00' : undefined
}
