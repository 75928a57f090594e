import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createProgress as progressOf, createProgressLine } from '../../src/output/progress.js'

function createProgress(stream: Writable, now: () => number) {
  const line = createProgressLine(Object.assign(stream, { isTTY: true }))
  return { show: progressOf(line, now), clear: () => line.clear() }
}

/** A terminal that keeps what was written. */
function terminal(): { readonly stream: Writable; readonly written: string[] } {
  const written: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk))
      done()
    },
  })
  return { stream, written }
}

test('shows the share that was read, the speed and the rest, at most four times in a second', () => {
  let now = 0
  const { stream, written } = terminal()
  const progress = createProgress(stream, () => now)
  for (; now <= 1000; now += 50)
    progress.show({ lines: now * 300, bytesRead: now * 1000, bytes: 4e6 })
  expect(written.map((text) => text.trim())).toEqual([
    '6 % of 4.0 MB, 300k lines/s, 4 s left',
    '12 % of 4.0 MB, 300k lines/s, 4 s left',
    '18 % of 4.0 MB, 300k lines/s, 4 s left',
    '25 % of 4.0 MB, 300k lines/s, 3 s left',
  ])
  progress.clear()
  expect(written.at(-1)).toMatch(/^\r +\r$/)
})

test('shows the bytes of a log whose size is not known', () => {
  let now = 0
  const { stream, written } = terminal()
  const progress = createProgress(stream, () => now)
  now = 1000
  progress.show({ lines: 500_000, bytesRead: 2_500_000, bytes: undefined })
  expect(written).toEqual(['\r2.5 MB, 500k lines/s'])
})

test('writes nothing about a log that was read at once', () => {
  const { stream, written } = terminal()
  createProgress(stream, () => 0).clear()
  expect(written).toEqual([])
})

test('a shorter line covers the whole line before it', () => {
  let now = 0
  const { stream, written } = terminal()
  const progress = createProgress(stream, () => now)
  now = 1000
  progress.show({ lines: 500_000, bytesRead: 125_000_000, bytes: undefined })
  now = 60_000
  progress.show({ lines: 1000, bytesRead: 9_000_000, bytes: undefined })
  progress.clear()
  const [first, second, cleared] = written
  expect(first).toBe('\r125.0 MB, 500k lines/s')
  expect(second).toBe('\r9.0 MB, 0k lines/s    ')
  expect(cleared).toMatch(/^\r +\r$/)
})
