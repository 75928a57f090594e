import { byName } from '@sluice/core/internal'
import { anything, Several } from '../value.js'
import type { Routes } from './routes.js'
import { targetOf, withoutSpacesAtEnd } from './target.js'

/** The parameters of a query, as frameworks read them. */
export class Query {
  /** Whether the URL can have any query. */
  readonly #isAny: boolean
  /** All readings, that of most frameworks first. */
  readonly #readings: readonly Reading[]

  constructor({ target, other, semicolon }: Routes) {
    const targets = other === undefined ? [target] : [other, target]
    const texts = new Set(targets.flatMap((url) => queriesOf(url, semicolon)))
    this.#isAny = targets.some((url) => targetOf(url) === undefined)
    // `URLSearchParams` drops a first question mark, which is part of the name for most frameworks.
    this.#readings = [...texts].map(readingOf)
  }

  /** A parameter. It has several values if the client sent it several times, or if frameworks read different ones. */
  get(name: string): string | Several | typeof anything | undefined {
    if (this.#isAny) return anything
    const [usual] = this.#readings
    const readings = [valuesIn(usual, name, isExactly)]
    for (const reading of this.#readings) readings.push(valuesIn(reading, name, isNamed))
    const values = readings.flatMap((found) => (found.length === 0 ? '' : found))
    if (values.every((value) => value === '')) return undefined
    const different = [...new Set(values)]
    // A parameter that is sent twice with one value is a list for the application.
    const isList = readings.some(({ length }) => length > 1)
    return different.length === 1 && !isList ? different[0] : new Several(different)
  }
}

/** The texts that frameworks take for the query, the usual one first. */
function queriesOf(url: string, semicolon: Routes['semicolon']): readonly string[] {
  const [, usual = ''] = /^[^?#]*\?([^#]*)/.exec(url) ?? []
  // Express and Koa parse a URL with a space by Node's `url.parse`, which trims it.
  const texts = [withoutSpacesAtEnd(usual), usual]
  // Fastify reads it behind the first `?` or `#`, and up to the end.
  if (url.includes('#')) texts.push(url.slice(url.search(/[?#]/) + 1))
  const end = url.search(/[?#;]/)
  if (semicolon === 'unknown' && url[end] === ';') texts.push(url.slice(end + 1))
  // Koa 3 drops a question mark at its start, as `URLSearchParams` does.
  if (usual.startsWith('?')) texts.push(usual.slice(1))
  // Node's parser and that of Express read no further parameters.
  if (usual.length >= mostParameters) texts.push(usual.split('&', mostParameters).join('&'))
  return texts
}

const mostParameters = 1000

/** The parameters of a query, by their names up to a bracket. */
type Reading = ReadonlyMap<string, readonly (readonly [sent: string, value: string])[]>

function readingOf(text: string): Reading {
  const parameters = new URLSearchParams(`?${text}`)
  return byName(Array.from(parameters, (parameter) => [bareName(parameter[0]), parameter]))
}

function bareName(name: string): string {
  return /^\[*([^\][]*)/.exec(name)?.[1] ?? ''
}

function valuesIn(
  reading: Reading,
  name: string,
  fits: (sent: string, name: string) => boolean,
): readonly string[] {
  const near = reading.get(bareName(name)) ?? []
  return near.filter(([sent]) => fits(sent, name)).map(([, value]) => value)
}

function isExactly(sent: string, name: string): boolean {
  return sent === name
}

/** Express can read `name[]`, `name[0]` and `[name]` as values of `name`. */
function isNamed(sent: string, name: string): boolean {
  return sent === name || sent.startsWith(`${name}[`) || sent.startsWith(`[${name}]`)
}
