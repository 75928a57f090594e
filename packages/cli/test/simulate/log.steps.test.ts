import { expect, test } from 'vitest'
import { readerOf } from './log/lines.js'
import { requests, vendors } from './log/vendors.js'

const searched = ['indexOf', 'charCodeAt', 'startsWith'] as const

/** The characters that a reader looks at. */
function stepsOf(format: string, line: string): number {
  let steps = 0
  const reader = readerOf(format)
  const originals = searched.map((name) => [name, String.prototype[name]] as const)
  const replace = (name: string, value: unknown): boolean =>
    Reflect.defineProperty(String.prototype, name, { value, writable: true, configurable: true })
  const { indexOf, charCodeAt, startsWith } = String.prototype
  replace('indexOf', function (this: string, text: string, from = 0) {
    const found = indexOf.call(this, text, from)
    steps += (found === -1 ? this.length : found) - from + 1
    return found
  })
  replace('charCodeAt', function (this: string, i: number) {
    steps++
    return charCodeAt.call(this, i)
  })
  replace('startsWith', function (this: string, text: string, from = 0) {
    steps += text.length
    return startsWith.call(this, text, from)
  })
  try {
    reader.read(line)
  } finally {
    for (const [name, original] of originals) replace(name, original)
  }
  return steps
}

const size = 500
const parts = [
  '"',
  String.raw`\"`,
  '\\',
  ' ',
  '" "',
  '[',
  ',',
  ', ',
  '-',
  ':',
  '=',
  '1',
  '{',
  'a=" ',
]

test.each(parts)('a line that %j makes longer takes steps in proportion to its length', (part) => {
  for (const { format, head = '', write } of vendors) {
    if (head !== '') continue
    const start = write(requests[0])
    const middle = Math.floor(start.length / 2)
    const [once, twice, four] = [1, 2, 4].map((times) => {
      const inserted = part.repeat(Math.ceil((times * size) / part.length))
      return stepsOf(format, `${start.slice(0, middle)}${inserted}${start.slice(middle)}`)
    })
    // Steps that grow with the square of the length would grow six times as much from twice to four times the length as from once to twice.
    expect(four - twice, format).toBeLessThanOrEqual(3 * (twice - once) + size)
  }
})
