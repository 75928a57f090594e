import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import { formatsOf } from '../../src/simulate/log/formats.js'
import type { LineReader } from '../../src/simulate/log/record.js'
import { fieldsOf, quoted, readerOf, readingOf, request, time } from './log/lines.js'

const readers: readonly (() => LineReader)[] = [
  ...formatsOf({}).map(
    ({ name }) =>
      () =>
        readerOf(name),
  ),
  () => readerOf('$remote_addr [$time_local] "$request" $status $request_time "$http_referer"'),
  () => readerOf('%h %l %u %t "%r" %>s %b'),
]
const samples = [
  `192.0.2.1 - - ${request} ${quoted}`,
  `{"time":${time},"method":"GET","url":"/","status":200,"headers":{"user-agent":["x"]}}`,
  '#Fields: date time c-ip cs-method cs-uri-stem sc-status\n2026-11-20 12:30:15 192.0.2.1 GET / 200',
]

test('no reader throws, and no record throws when it is read, whatever the bytes', () => {
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
      for (const create of readers) {
        const reader = create()
        for (const line of text.split('\n')) {
          const record = readingOf(reader, line)
          fieldsOf(record)
          reader.read(line.slice(skipped))
          if (typeof record !== 'string') expect(Number.isSafeInteger(record.time)).toBe(true)
        }
      }
    }),
    { numRuns: runs(5000) },
  )
})
