import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { blocksOf, type TextBlock } from '../cut/lines.js'

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
    if (!isGzip(first.value)) {
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

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

async function* gunzipped(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize })
  const fed = feed(chunks, gunzip)
  for await (const chunk of gunzip) if (Buffer.isBuffer(chunk)) yield chunk
  await fed
}

/** Writes chunks into a stream. `pipeline` would destroy the stream before the data before an error is read. */
async function feed(
  chunks: AsyncGenerator<Buffer>,
  gunzip: ReturnType<typeof createGunzip>,
): Promise<void> {
  try {
    for await (const chunk of chunks) {
      if (gunzip.destroyed) return
      if (!gunzip.write(chunk)) await drained(gunzip)
    }
    gunzip.end()
  } catch (error) {
    gunzip.destroy(error instanceof Error ? error : new Error(String(error)))
  }
}

async function drained(gunzip: ReturnType<typeof createGunzip>): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      gunzip.off('drain', done).off('close', done)
      resolve()
    }
    gunzip.on('drain', done).on('close', done)
  })
}

function isTruncation(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'Z_BUF_ERROR' || error.code === 'Z_DATA_ERROR')
  )
}
