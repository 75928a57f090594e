import { Readable } from 'node:stream'
import { randomFrom, seed } from '@sluice/test-kit/random'
import { simulate, type Report, type SimulateOptions } from '../../src/simulate/index.js'

/** A request of a log that a test makes. */
export interface Line {
  readonly at: number
  readonly ip: string
  readonly url?: string
  readonly durationMs?: number
  readonly status?: number
}

/** A log in JSON lines. A line states the end of its request. */
export function jsonLog(lines: readonly Line[]): Readable {
  const texts = lines.map(({ at, durationMs, url = '/', status = 200, ip }) => {
    const duration = durationMs === undefined ? {} : { durationMs }
    return `${JSON.stringify({ time: at + (durationMs ?? 0), ...duration, ip, method: 'GET', url, status })}\n`
  })
  return Readable.from([Buffer.from(texts.join(''))])
}

/** A log in the combined format, with whole seconds. */
export function combinedLog(lines: readonly Line[]): string {
  return lines.map((line) => `${combinedLine(line)}\n`).join('')
}

export function combinedLine(
  { at, ip, url = '/', status = 200 }: Line,
  agent = 'curl/8.0',
): string {
  return `${ip} - - [${logTimeOf(at)}] "GET ${url} HTTP/1.1" ${status} 123 "-" "${agent}"`
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function logTimeOf(at: number): string {
  const [date, time] = new Date(at).toISOString().split('T')
  const [year, month, day] = date.split('-')
  return `${day}/${months[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`
}

/** The start of the logs that tests make. */
export const start: number = Date.UTC(2026, 10, 20)

export async function simulated(
  log: string,
  options: Omit<SimulateOptions, 'log'>,
): Promise<Report> {
  return simulate({ ...options, log: Readable.from([Buffer.from(log, 'latin1')]) })
}

/** A request every 700 milliseconds, of one of three clients. */
export function traffic(length = 1000): readonly Line[] {
  const random = randomFrom(seed)
  return Array.from({ length }, (_, i) => ({
    at: start + i * 700 + (i % 3),
    ip: `192.0.2.${1 + Math.floor(random() ** 2 * 3)}`,
  }))
}

export async function textOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}
