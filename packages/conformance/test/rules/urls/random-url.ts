import { randomFrom } from '@sluice/test-kit/random'
import { patterns } from './routes.js'

/** Characters and sequences that routers and file servers treat differently. */
const pieces: readonly string[] = [
  ['/', '//', '\\', ';', ';x', '?', '#', '?id=A', ';id=A', '#id=A', '&id=A', '[id]=A'],
  ['%2F', '%2f', '%5C', '%5c', '%2E', '%2e', '%252e', '%25', '%', '%zz', '%ff', '%00', '%20'],
  ['.', '..', '/.', '/..', '/./', '/../', '/..;/', '%2F..%2F', '\\..\\', '/%2e%2e/'],
  ['\t', '\f', ' ', '\u00a0', '\u00e9', '\u00c9', '\u00b5', '%C3%89', '%C3%A9', '%E2%84%AA'],
  ['%C5%BF', '%C4%B0', 'K', 'k', 'a', '@', '//u@h', '/u@h', ':', '*', "'", '^', '{', '|', '"'],
  ['+', '=', '&', '%3B', '%3F', '%23', '%40', '%3A', '.png', '-', '~', '$', ',', '!', '(', ')'],
].flat()

const ends: readonly string[] = ['#', '#x', '\u00a0', ' ', '?', ';', '/', '//', '?id=A', '??id=A']
const starts: readonly string[] = ['http://h', 'HTTP://u@h:80', 'http://h;x', '/v1', '//u@h', '/']

/** Makes URLs from the patterns of routes and from the pieces. */
export function randomUrls(seed: number): () => string {
  const random = randomFrom(seed)
  const below = (count: number): number => Math.floor(random() * count)
  const one = <T>(list: readonly T[]): T => list[below(list.length)]
  const chance = (share: number): boolean => random() < share
  const all = Object.values(patterns)

  function usual(): string {
    const pattern = one(all)
    if (chance(0.05)) return pattern.replace(/[^/]*:id[^/]*|\*\*/g, '')
    const filled = pattern.replace(/:id/, () => one(['7', 'abc', 'A', 'k']))
    return filled.replace('**', () => one(['x', 'x/y', '']))
  }

  function insert(url: string): string {
    const at = 1 + below(url.length)
    return `${url.slice(0, at)}${one(pieces)}${url.slice(at)}`
  }

  function respell(url: string): string {
    const at = 1 + below(Math.max(1, url.length - 1))
    const character = url.charAt(at)
    const other = one<(text: string) => string>([
      (text) => text.toUpperCase(),
      (text) => text.replace(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`),
      (text) => (/[kK]/.test(text) ? '%E2%84%AA' : text),
      () => '',
    ])
    return `${url.slice(0, at)}${other(character)}${url.slice(at + 1)}`
  }

  return function randomUrl() {
    let url = usual()
    for (let edits = below(5); edits > 0; edits--) {
      url = chance(0.7) ? insert(url) : respell(url)
    }
    // A path that climbs from one route to another.
    if (chance(0.15))
      url = `${usual()}${one(['/', '%2F', '\\', ';/'])}..${one(['/', '%2F', '\\'])}${url.slice(1)}`
    if (chance(0.3)) url += one(ends)
    if (chance(0.1)) url = one(starts) + url
    return url
  }
}
