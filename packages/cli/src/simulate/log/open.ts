import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { blocksOf, type TextBlock } from './lines.js'

/** A log that can be read. */
export interface Source {
  readonly name: string
  /** The size in bytes. Undefined if it is unknown. */
  readonly size: number | undefined
  /** Whether the log can be read more than once. */
  readonly rereadable: boolean
  open(): OpenLog
}

export interface OpenLog {
  readonly blocks: AsyncGenerator<TextBlock>
  /** Whether the compressed data is truncated. The text before that point is complete. */
  readonly truncated: () => boolean
}

export async function fileSource(path: string): Promise<Source> {
  const { size } = await stat(path)
  const open = (): OpenLog => openStream(createReadStream(path, { highWaterMark: chunkSize }))
  return { name: path, size, rereadable: true, open }
}

export function streamSource(name: string, stream: Readable): Source {
  return { name, size: undefined, rereadable: false, open: () => openStream(stream) }
}

const chunkSize = 1_000_000

function openStream(stream: Readable): OpenLog {
  let bytes = 0
  let truncated = false

  async function* chunks(): AsyncGenerator<Buffer> {
    const counted = countedChunks(stream, (length) => {
      bytes += length
    })
    const first = await counted.next()
    if (first.done === true) return
    const all = prepended(first.value, counted)
    // The first bytes of gzip.
    if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
      yield* all
      return
    }
    try {
      yield* gunzipped(all)
    } catch (error) {
      if (!isTruncation(error)) throw error
      truncated = true
    }
  }

  return { blocks: blocksOf(chunks(), () => bytes), truncated: () => truncated }
}

async function* countedChunks(
  stream: Readable,
  count: (length: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    count(bytes.length)
    yield bytes
  }
}

async function* prepended(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* rest
}

/** Other than `pipeline`, `pipe` leaves the data before an error to be read. */
async function* gunzipped(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize })
  const bytes = Readable.from(chunks)
  bytes.on('error', (error) => gunzip.destroy(error)).pipe(gunzip)
  for await (const chunk of gunzip) if (Buffer.isBuffer(chunk)) yield chunk
}

function isTruncation(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'Z_BUF_ERROR' || error.code === 'Z_DATA_ERROR')
  )
}
