import { folded } from './spelling.js'
import { plainPath, targetOf } from './target.js'

/** The path of a URL as the client sent it. Undefined if servers can read it in several ways, so that no exemption applies to it. */
export function clearPath(url: string): string | undefined {
  const usual = plainPath(url)
  if (usual !== undefined) return usual
  const path = url.startsWith('/') ? targetOf(url)?.path : undefined
  return path !== undefined && isClear(path) ? path : undefined
}

/** Whether a path has nothing that one router or file server decodes, resolves or cuts off and another one does not. */
export function isClear(path: string): boolean {
  return clear.test(path) && (!path.includes('%') || isClearlyEncoded(path))
}

/** No segment is empty or consists of dots, and only characters are encoded that have no meaning in a path. */
const segment = String.raw`(?!\.{1,2}(?:/|$))(?:[\w.~!$&'()*+,=:@-]|%(?:2[0246BC]|3[ACDE]|40|5[BDE]|60|7[BCD]|[89A-F][\dA-F]))+`

const clear = new RegExp(`^/(?:${segment}(?:/${segment})*)?$`)

/** Whether the encodings are UTF-8, and of no character that a router takes for one of ASCII, as U+212A for a "k". */
function isClearlyEncoded(path: string): boolean {
  try {
    const others = decodeURIComponent(path).replace(/[\0-\x7f]+/g, '')
    return !/[\0-\x7f]/.test(folded(others))
  } catch {
    return false
  }
}
