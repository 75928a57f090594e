import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import type { Writable } from 'node:stream'
import { randomFrom } from '@sluice/test-kit/random'

export interface LogSize {
  readonly lines: number
  /** The number of different addresses, at most. A few of them send most requests. */
  readonly keys: number
  readonly linesPerSecond: number
}

/** Writes a log into a file. */
export async function writeLog(file: string, size: LogSize): Promise<void> {
  const out = createWriteStream(file)
  await writeLines(out, size)
  await once(out, 'finish')
}

/** Writes a log in the combined format, of about 235 bytes a line, in which lines are out of order by up to two seconds. */
export async function writeLines(
  out: Writable,
  { lines, keys, linesPerSecond }: LogSize,
): Promise<void> {
  const random = randomFrom(1)
  const times = new RecentTimes()
  let text = ''
  for (let i = 0; i < lines; i++) {
    const second = Math.floor(i / linesPerSecond) - Math.floor(random() * 3)
    const key = Math.floor(keys * random() ** 3)
    const path = `/api/items/${Math.floor(random() * 1e5)}?q=${i}`
    text += `${addressOf(key)} - - [${times.textOf(second)}] "GET ${path} HTTP/1.1" 200 5120 "https://www.example.com/page/${i % 1000}" "${agent}"\n`
    if (text.length < 1e6) continue
    if (!out.write(text, 'latin1')) await once(out, 'drain')
    text = ''
  }
  out.end(text, 'latin1')
}

const agent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36'

function addressOf(key: number): string {
  return `${10 + (key >> 24)}.${(key >> 16) & 255}.${(key >> 8) & 255}.${key & 255}`
}

const start = Date.UTC(2026, 10, 20)
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The texts of the last seconds. Formatting a time takes longer than the rest of a line. */
class RecentTimes {
  readonly #seconds = [NaN, NaN, NaN, NaN]
  readonly #texts: string[] = ['', '', '', '']

  textOf(second: number): string {
    const at = second & 3
    if (this.#seconds[at] !== second) {
      this.#seconds[at] = second
      this.#texts[at] = timeOf(start + second * 1000)
    }
    return this.#texts[at]
  }
}

function timeOf(ms: number): string {
  const [date, time] = new Date(ms).toISOString().split('T')
  const [year, month, day] = date.split('-')
  return `${day}/${months[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`
}
