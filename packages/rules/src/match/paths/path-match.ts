import type { PathReadings } from './readings.js'

/** The paths that a request can mean, and the patterns that they fit. */
export interface PathMatch extends PathReadings {
  /** The numbers of the patterns. */
  readonly fits: ReadonlySet<number>
  /** The rules whose patterns these are, for each index; computed once. */
  readonly rules: (readonly number[] | undefined)[]
  /** The values of parameters; computed once. */
  params: Map<ParamSource, readonly string[]> | undefined
  /** The matches of two URLs, if an exemption has to apply to both. */
  readonly parts: readonly PathMatch[] | undefined
}

/** A parameter, and the patterns that give it its values. */
export interface ParamSource {
  readonly parameter: string
  readonly numbers: readonly number[]
}

/** The path patterns that a rule requires. They give its parameters. */
export interface OwnPath {
  readonly patterns: readonly number[]
  /** Whether the rule sees the path as the client sent it. */
  readonly exact: boolean
  /** The same patterns for paths seen in the other way, as within `not`. Empty if the rule does not name a parameter. */
  readonly opposite: readonly number[]
}

/** That of a field without a rule's path. */
export const noPath: OwnPath = { patterns: [], exact: false, opposite: [] }

/** Whether a path fits one of these patterns. */
export function fitsOne({ fits, parts }: PathMatch, numbers: readonly number[]): boolean {
  return parts === undefined
    ? numbers.some((number) => fits.has(number))
    : parts.every((part) => fitsOne(part, numbers))
}

/** The match of a request with two URLs. */
export function joined(one: PathMatch, other: PathMatch, parts: PathMatch['parts']): PathMatch {
  const matchOfAny = [one, other].find(({ isAny }) => isAny)
  const { fits, rules } = matchOfAny ?? { fits: new Set([...one.fits, ...other.fits]), rules: [] }
  return {
    all: [...one.all, ...other.all],
    routed: [...other.routed, ...one.routed],
    isAny: matchOfAny !== undefined,
    fits,
    rules,
    params: undefined,
    parts,
  }
}
