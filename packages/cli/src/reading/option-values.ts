import { millisecondsOf } from '@sluice/core/internal'
import { InvalidArgumentError } from 'commander'
import { fieldNames, readFieldNames, type FieldNames } from '../simulate/log/json.js'
import { windowMsOf } from '../simulate/variants.js'

// Each function reads the value of an option. Commander adds the name of the option to the errors.

/** Collects the values of an option that can be repeated. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value]
}

export function readShare(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(text)
  const share = match === null ? Number.NaN : Number(match[1]) / (match[2] === '%' ? 100 : 1)
  if (!(share >= 0 && share <= 1)) {
    throw new InvalidArgumentError('Write a share from 0 to 100 %, such as 0.5%.')
  }
  return share
}

export function readAddressChoice(text: string): 'remote' | 'first' | 'last' | number {
  if (text === 'remote' || text === 'first' || text === 'last') return text
  if (/^[1-9]\d?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Write remote, first, last, or the number of proxies, such as 2.')
}

export function readWindows(text: string): readonly number[] {
  try {
    return text.split(',').map((part) => windowMsOf(part.trim()))
  } catch {
    throw new InvalidArgumentError('Write one or more windows, such as 1m,10m,1h.')
  }
}

export function readCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Write a whole number, such as 10.')
  return Number(text)
}

/** A duration with its unit. A number alone would be milliseconds, which nobody means. */
export function readLength(text: string): string {
  if (/[a-z]/i.test(text) && (millisecondsOf(text) ?? 0) > 0) return text
  throw new InvalidArgumentError('Write a duration of at most ten years, such as 30s, 10m or 1h.')
}

/** The most units of one `penalize`. */
const mostUnits = Number.MAX_SAFE_INTEGER

export function readUnits(text: string): number {
  const units = Number(text)
  if (/^\d{1,16}$/.test(text) && units > 0 && units <= mostUnits) return units
  throw new InvalidArgumentError(`Write a whole number from 1 to ${mostUnits}, such as 5.`)
}

/** Adds the units of a key to those of the keys before it. The text of a key can contain the sign. */
export function readGrant(
  text: string,
  previous: Readonly<Record<string, number>> = {},
): Readonly<Record<string, number>> {
  const [, key, units] = /^(.+)=(.*)$/.exec(text) ?? []
  if (key !== undefined) return { ...previous, [key]: readUnits(units) }
  throw new InvalidArgumentError('Write a key and its units, such as 203.0.113.9=500.')
}

export function readSeconds(text: string): number {
  const match = /^(\d+(?:\.\d+)?)s?$/.exec(text)
  if (match === null) throw new InvalidArgumentError('Write a number of seconds, such as 60.')
  return Number(match[1]) * 1000
}

/** An interval in milliseconds. A shorter one would only load the server: the data change every few seconds. */
export function readInterval(text: string): number {
  const ms = readSeconds(text)
  if (ms >= 500) return ms
  throw new InvalidArgumentError('Write a number of seconds from 0.5, such as 2.')
}

export function readFields(text: string): FieldNames {
  const names = readFieldNames(text, ',')
  if (names !== undefined) return names
  throw new InvalidArgumentError(
    `Write pairs such as time=ts,ip=client.address. Fields: ${fieldNames.join(', ')}.`,
  )
}
