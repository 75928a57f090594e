import { randomFrom, seed } from '@sluice/test-kit/random'
import {
  BadLine,
  type Format,
  type LogRecord,
  type Reading,
} from '../../../src/simulate/log/record.js'
import { formatsOf } from '../../../src/simulate/log/formats.js'
import { statedIn, type Stated } from './stated.js'
import { requests, type Vendor } from './vendors.js'

/** Changes lines of a vendor, and returns those whose record says something else than the vendor's definition. */
export function misreadLines({ format, head = '', write }: Vendor, runs: number): object[] {
  const random = randomFrom(seed)
  const pick = (length: number): number => Math.floor(random() * length)
  const found = formatsOf({}).find(({ name }) => name === format)
  if (found === undefined) throw new Error(`no format ${format}`)
  const wrong: object[] = []
  for (let run = 0; run < runs; run++) {
    let text = write(requests[pick(requests.length)])
    for (let changes = pick(3); changes >= 0; changes--) text = damaged(text, pick)
    const record = recordsIn(found, head + text).at(-1)
    if (record === undefined) continue
    const stated = statedIn(format, head, text)
    const read = readIn(record)
    const isRight = stated !== undefined && names.every((name) => isSame(read, stated, name))
    if (!isRight) wrong.push({ text, read, stated })
  }
  return wrong
}

const names = ['time', 'ms', 'ip', 'method', 'url', 'status', 'agent'] as const

function readIn(record: LogRecord): Stated {
  const { time, durationMs: ms, address, method, url, status } = record
  return { time, ms, ip: address?.text, method, url, status, agent: record.header('user-agent') }
}

function isSame(read: Stated, stated: Stated, name: (typeof names)[number]): boolean {
  const value = stated[name]
  // The escapes of a format have tests of their own.
  const isEscaped = typeof value === 'string' && /[\\%+]/.test(value) && name !== 'ip'
  // Some formats have other names for it.
  const isUnknown = name === 'agent' && value === undefined
  return isEscaped || isUnknown || value === read[name]
}

function recordsIn(format: Format, text: string): readonly LogRecord[] {
  const reader = format.open({ address: undefined, zoneMs: 0 })
  return text.split('\n').flatMap((line) => {
    const reading = line === '' ? '' : reader.read(line)
    return isRecord(reading) ? [reading] : []
  })
}

function isRecord(reading: Reading): reading is LogRecord {
  return typeof reading !== 'string' && !(reading instanceof BadLine)
}

const strange =
  '\0|\u001b[31m|\t|"|\\|   |\\"|" "|[|]|, |,|-|:|{|}|\u007f|\r|\\x22|1.2.3.4|198.51.100.7:80|example.com|20/Nov/2026:01:02:03 +0000|=|200|GET / HTTP/1.1|%|+|null'.split(
    '|',
  )

function damaged(line: string, pick: (length: number) => number): string {
  const at = pick(line.length)
  const [before, after] = [line.slice(0, at), line.slice(at)]
  switch (pick(8)) {
    case 0:
      return before
    case 1:
      return after
    case 2: {
      const words = line.split(' ')
      const [a, b] = [pick(words.length), pick(words.length)]
      return words.with(a, words[b]).with(b, words[a]).join(' ')
    }
    case 3:
      return before + strange[pick(strange.length)] + after
    case 4:
      return before + after.slice(1 + pick(30))
    case 5:
      return before + '0a"\\ '.charAt(pick(5)).repeat(pick(100)) + after
    case 6:
      return before + String.fromCharCode(32 + pick(96)) + after.slice(1)
    default:
      return line + after
  }
}
