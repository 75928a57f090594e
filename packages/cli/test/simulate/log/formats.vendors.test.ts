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
})
