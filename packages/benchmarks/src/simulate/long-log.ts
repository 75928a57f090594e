import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { simulate } from '@sluice/cli/simulate'
import { slidingWindow } from '@sluice/core'
import { writeLines } from './access-log.js'

// Replays a log of any size that another process generates into a pipe, and prints the speed and the memory after each gigabyte:
//
//   node packages/benchmarks/dist/simulate/long-log.js --gigabytes 10 --keys 1000000

const { values } = parseArgs({
  options: {
    gigabytes: { type: 'string', default: '1' },
    keys: { type: 'string', default: '200000' },
    'lines-per-second': { type: 'string', default: '1000' },
    write: { type: 'boolean', default: false },
  },
})
const gigabyte = 1e9
const bytesPerLine = 235
const size = {
  lines: Math.ceil((Number(values.gigabytes) * gigabyte) / bytesPerLine),
  keys: Number(values.keys),
  linesPerSecond: Number(values['lines-per-second']),
}

if (values.write) await writeLines(process.stdout, size)
else await replay()

async function replay(): Promise<void> {
  const program = fileURLToPath(import.meta.url)
  const generator = spawn(process.execPath, [program, '--write', ...process.argv.slice(2)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const started = performance.now()
  let next = gigabyte
  const { log, variants } = await simulate({
    log: generator.stdout,
    variants: { only: { policies: slidingWindow({ limit: 100, window: '1m' }) } },
    onProgress({ lines, bytesRead }) {
      if (bytesRead < next) return
      next += gigabyte
      print(bytesRead, lines, started)
    },
  })
  if (generator.exitCode === null) await once(generator, 'close')
  const { user, system } = process.cpuUsage()
  const seconds = (performance.now() - started) / 1000
  const [{ denied, keys }] = variants
  process.stdout.write(
    `${log.lines} lines of ${keys} addresses in ${seconds.toFixed(1)} s, ${denied} denied; ` +
      `${((user + system) / log.lines).toFixed(2)} µs of the processor a line; ` +
      `at most ${megabytes(process.resourceUsage().maxRSS * 1024)} of memory\n`,
  )
}

function print(bytes: number, lines: number, started: number): void {
  const seconds = (performance.now() - started) / 1000
  process.stdout.write(
    `${(bytes / gigabyte).toFixed(1)} GB  ${seconds.toFixed(1)} s  ${Math.round(lines / seconds / 1000)}k lines/s  ${megabytes(process.memoryUsage.rss())}\n`,
  )
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}
