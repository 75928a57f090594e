import { randomFrom, runs, seed } from '@sluice/test-kit/random'
import { describe, expect, test } from 'vitest'
import { detectFormat } from '../../../src/simulate/log/detect.js'
import { formatsOf } from '../../../src/simulate/log/formats.js'
import { BadLine, type LogRecord, type Reading } from '../../../src/simulate/log/record.js'
import { fieldsOf, readerOf } from './lines.js'
import { requests, vendors, type Logged, type Vendor } from './vendors.js'

function linesOf({ head = '', write }: Vendor): string {
  return `${head}${requests.map((request) => `${write(request)}\n`).join('')}`
}

function isRecord(reading: Reading): reading is LogRecord {
  return typeof reading !== 'string' && !(reading instanceof BadLine)
}

function recordsIn(format: string, text: string): readonly LogRecord[] {
  const reader = readerOf(format)
  return text.split('\n').flatMap((line) => {
    const reading = line === '' ? '' : reader.read(line)
    return isRecord(reading) ? [reading] : []
  })
}

const expected = ({ time, ip, method, url, status }: Logged): object => ({
  time,
  ip,
  method,
  url,
  status,
})

describe.each(vendors)('$format ($source)', (vendor) => {
  const text = linesOf(vendor)

  test('all of twenty lines are read', () => {
    const found = recordsIn(vendor.format, text).map(fieldsOf)
    expect(found).toMatchObject(requests.map(expected))
  })

  test('is found, and no other format reads its lines', () => {
    expect(detectFormat('a.log', text, {}).format).toBe(vendor.format)
    const others = formatsOf({}).filter(
      ({ name }) => name !== vendor.format && recordsIn(name, text).length > 0,
    )
    // A list of addresses can have one, and a line of JSON the names of several writers.
    const similar = new Set(['forwarded_combined', 'cloudfront', 'w3c', 'winston', 'json'])
    expect(others.map(({ name }) => name).filter((name) => !similar.has(name))).toEqual([])
  })

  test('a damaged line is bad, or has the address and the time of the whole line', () => {
    const random = randomFrom(seed)
    const pick = (length: number): number => Math.floor(random() * length)
    const { head = '', format, write } = vendor
    const wrong: string[] = []
    for (let run = 0; run < Number(process.env['FUZZ'] ?? runs(400)); run++) {
      const request = requests[pick(requests.length)]
      const line = write(request)
      const damaged = damage(line, pick)
      const started = performance.now()
      const found = recordsIn(format, `${head}${damaged.slice(0, 2_000_000)}`)
      if (performance.now() - started > 1000) wrong.push(`slow: ${damaged.slice(0, 100)}`)
      for (const { time, address } of found) {
        const isRight =
          address === undefined || (address.text === request.ip && time === request.time)
        // A digit of the address or of the time that is gone or another one cannot be noticed.
        if (!isRight && !isValueDamaged(line, damaged, request, { time, ip: address?.text }))
          wrong.push(damaged)
      }
    }
    expect(wrong).toEqual([])
  })
})

const strange = [
  '\0',
  '\u001b[31m',
  '\t',
  '"',
  '\\',
  ' ',
  '\\"',
  '" "',
  '[',
  ']',
  ', ',
  ',',
  '-',
  ':',
  '{',
  '}',
  '\u007f',
  '\r',
  '\\x22',
  '1.2.3.4',
  '20/Nov/2026:01:02:03 +0000',
  '=',
]

function damage(line: string, pick: (length: number) => number): string {
  const at = pick(line.length)
  switch (pick(7)) {
    case 0:
      return line.slice(0, at)
    case 1:
      return line.slice(at)
    case 2: {
      const words = line.split(' ')
      const [a, b] = [pick(words.length), pick(words.length)]
      // No grammar can tell two fields of one kind apart.
      if (shapeOf(words[a]) === shapeOf(words[b])) return line
      return words.with(a, words[b]).with(b, words[a]).join(' ')
    }
    case 3:
      return line.slice(0, at) + strange[pick(strange.length)] + line.slice(at)
    case 4:
      return line.slice(0, at) + line.slice(at + 1 + pick(30))
    case 5:
      return line.slice(0, at) + 'a"\\'.charAt(pick(3)).repeat(pick(200_000)) + line.slice(at)
    default:
      return line + line.slice(at)
  }
}

/** Addresses, numbers, and lists of numbers are kinds. */
function shapeOf(word: string): string {
  return /^[\d.:a-f]*[.:][\d.:a-f]*$/.test(word)
    ? 'address'
    : word.replace(/^-$/, '0').replace(/\d+/g, '9')
}

/** Whether the damage is within the characters of the address or of the time: then the line says something else. */
function isValueDamaged(
  line: string,
  damaged: string,
  request: Logged,
  found: { readonly time: number; readonly ip: string | undefined },
): boolean {
  const changed = firstDifference(line, damaged)
  const isIn = (value: string): boolean => {
    const from = line.indexOf(value)
    return from !== -1 && changed >= from - 1 && changed <= from + value.length
  }
  const iso = new Date(request.time).toISOString()
  const before = new Date(request.time - request.ms).toISOString()
  const times = [
    iso.slice(0, 10),
    iso.slice(11, 19),
    iso.slice(20, 23),
    before.slice(11, 19),
    before.slice(0, 10),
    `${request.time}`,
    `${request.time / 1000}`,
    `${request.ms / 1000}`,
    `${request.ms}`,
    (request.ms / 1000).toFixed(3),
    '20/Nov',
  ]
  return found.ip !== request.ip
    ? isIn(request.ip) || (damaged.startsWith(found.ip ?? '') && changed === 0)
    : times.some(isIn)
}

function firstDifference(a: string, b: string): number {
  let i = 0
  while (i < a.length && a[i] === b[i]) i++
  return i
}
