import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import { albCutter } from '../../src/simulate/cut/alb.js'
import { combinedCutter } from '../../src/simulate/cut/combined.js'
import { jsonCutter } from '../../src/simulate/cut/json.js'
import { nginxCutter } from '../../src/simulate/cut/nginx.js'
import type { Cutter } from '../../src/simulate/cut/record.js'
import { w3cCutter } from '../../src/simulate/cut/w3c.js'
import { fieldsOf, quoted, request, time } from './cut/lines.js'

const cutters: readonly (() => Cutter)[] = [
  () => combinedCutter(),
  () => combinedCutter('common'),
  () => jsonCutter({}),
  albCutter,
  () => nginxCutter('$remote_addr [$time_local] "$request" $status $request_time "$http_referer"'),
  () => w3cCutter('w3c'),
]
const samples = [
  `192.0.2.1 - - ${request} ${quoted}`,
  `{"time":${time},"method":"GET","url":"/","status":200,"headers":{"user-agent":["x"]}}`,
  '#Fields: date time c-ip cs-method cs-uri-stem sc-status\n2026-11-20 12:30:15 192.0.2.1 GET / 200',
]

test('no cutter throws, and no record throws when it is read, whatever the bytes', () => {
  const bytes = fc
    .uint8Array({ maxLength: 200 })
    .map((array) => Buffer.from(array).toString('latin1'))
  const damaged = fc
    .tuple(fc.constantFrom(...samples), fc.nat(120), fc.nat(20), bytes)
    .map(
      ([line, at, length, inserted]) =>
        line.slice(0, at) + inserted.slice(0, 8) + line.slice(at + length),
    )
  fc.assert(
    fc.property(fc.oneof(bytes, damaged), fc.nat(10), (text, skipped) => {
      for (const create of cutters) {
        const cutter = create()
        for (const line of text.split('\n')) {
          const record = cutter.cut(line, 0, line.length)
          fieldsOf(record)
          cutter.cut(line, Math.min(skipped, line.length), line.length)
          if (typeof record !== 'string') expect(Number.isSafeInteger(record.time)).toBe(true)
        }
      }
    }),
    { numRuns: runs(5000) },
  )
})
