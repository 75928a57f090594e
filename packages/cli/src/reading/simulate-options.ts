import { InvalidArgumentError } from 'commander'
import { fieldNames, type FieldNames } from '../simulate/cut/json.js'
import { windowMsOf } from '../simulate/variants.js'

// Readers of the options of `sluice simulate`.

export function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value]
}

export function readShare(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(text)
  const share = match === null ? Number.NaN : Number(match[1]) / (match[2] === '%' ? 100 : 1)
  if (!(share >= 0 && share <= 1)) throw new InvalidArgumentError('Expected a share such as 0.5%.')
  return share
}

export function readWindows(text: string): readonly number[] {
  return text.split(',').map((part) => {
    return windowMsOf(part.trim())
  })
}

export function readCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.')
  return Number(text)
}

export function readSeconds(text: string): number {
  const match = /^(\d+(?:\.\d+)?)s?$/.exec(text)
  if (match === null) throw new InvalidArgumentError('Expected a number of seconds.')
  return Number(match[1]) * 1000
}

export function readFieldNames(text: string): FieldNames {
  const names: FieldNames = {}
  for (const pair of text.split(',')) {
    const [field, name] = pair.split('=').map((part) => part.trim())
    const known = fieldNames.find((one) => one === field)
    if (known === undefined || name === undefined || name === '') {
      throw new InvalidArgumentError(
        `Expected pairs such as time=ts,ip=client.address. Fields: ${fieldNames.join(', ')}.`,
      )
    }
    names[known] = name
  }
  return names
}
