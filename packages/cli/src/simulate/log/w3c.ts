import { fieldsPattern, type Field } from './grammar.js'
import { PatternReader } from './pattern.js'
import { BadLine, type Format, type Meaning, type Reading } from './record.js'

const roles: Readonly<Record<string, Omit<Field, 'name'>>> = {
  date: { role: 'date', form: 'iso' },
  time: { role: 'clock' },
  'c-ip': { role: 'ip' },
  'x-forwarded-for': { role: 'forwarded' },
  'cs(x-forwarded-for)': { role: 'forwarded' },
  'cs-method': { role: 'method' },
  'cs-uri-stem': { role: 'url' },
  'cs-uri-query': { role: 'query' },
  'sc-status': { role: 'status' },
  'sc-bytes': { role: 'bytes' },
  'cs-username': { role: 'user' },
  'x-host-header': { role: 'host' },
  'cs-host': { role: 'host' },
  'cs(host)': { role: 'host' },
}

/**
 * The extended log format of the W3C, in which a line `#Fields:` names the fields. IIS separates fields by spaces, writes `+` for a space and durations in
 * milliseconds. CloudFront separates fields by tabs, percent-encodes headers and writes durations in seconds.
 */
export function w3cFormat(name: 'w3c' | 'cloudfront'): Format {
  return {
    name,
    open(meaning) {
      let current: PatternReader | undefined
      return {
        // The times are UTC by definition.
        isZoneless: () => false,
        has: (field) => current === undefined || current.has(field),
        read(line): Reading {
          if (!line.startsWith('#'))
            return current?.read(line) ?? new BadLine('no #Fields before it', 0)
          if (!line.startsWith('#Fields:')) return ''
          const names = line.slice('#Fields:'.length).trim().toLowerCase().split(/\s+/)
          const opened = readerOf(name, names, meaning)
          if (opened instanceof BadLine) return opened
          current = opened
          return ''
        },
      }
    },
  }
}

function readerOf(
  name: 'w3c' | 'cloudfront',
  names: readonly string[],
  meaning: Meaning,
): PatternReader | BadLine {
  const isIis = name === 'w3c'
  // The host that the client asked for comes before that of the distribution.
  const hosts = ['x-host-header', 'cs(host)', 'cs-host']
  const host = hosts.find((one) => names.includes(one))
  const fields = names.map((one): Field => {
    if (one === 'time-taken') return { name: one, role: 'duration', unit: isIis ? 'ms' : 's' }
    if (hosts.includes(one) && one !== host) return { name: one, role: 'text' }
    return { name: one, ...(roles[one] ?? { role: 'text' }) }
  })
  const missing = ['date', 'time', 'cs-method', 'cs-uri-stem', 'sc-status'].find(
    (one) => !names.includes(one),
  )
  if (missing !== undefined) return new BadLine(`no ${missing} in #Fields`, 0)
  return new PatternReader(
    fieldsPattern(fields, isIis ? ' ' : '\t', isIis ? 'plus' : 'percent'),
    meaning,
  )
}
