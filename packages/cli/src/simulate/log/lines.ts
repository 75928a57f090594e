/** A part of a log as text, with complete lines. Each character is one byte of the log. */
export interface TextBlock {
  readonly text: string
  /** The number of bytes of the file that have been read, before decompression. */
  readonly bytesRead: number
}

/** Lines longer than this are skipped. */
export const longestLine = 1_000_000

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** A byte order mark in UTF-8. */
const mark = '\xef\xbb\xbf'

/** Joins chunks into blocks that end with a line, without a byte order mark at the start. It keeps only the start of a line that is too long, which is then skipped and counted. */
export async function* blocksOf(
  chunks: AsyncIterable<Buffer>,
  bytesRead: () => number,
): AsyncGenerator<TextBlock> {
  let rest = ''
  let isStart = true
  function blockOf(whole: string): TextBlock {
    const text = isStart && whole.startsWith(mark) ? whole.slice(mark.length) : whole
    isStart = false
    return { text, bytesRead: bytesRead() }
  }
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(lineFeed) + 1
    if (end === 0) {
      if (rest.length <= longestLine) rest += chunk.toString('latin1')
      continue
    }
    yield blockOf(rest + chunk.toString('latin1', 0, end))
    rest = chunk.toString('latin1', end)
  }
  if (rest !== '') yield blockOf(rest)
}

/** Calls `line` with the start and the end of each nonempty line, without its line break. Returns where it stopped: after `most` lines, or at the end. */
export function eachLine(
  text: string,
  from: number,
  most: number,
  line: (start: number, end: number) => void,
): number {
  let start = from
  for (let lines = 0; start < text.length && lines < most;) {
    let end = text.indexOf('\n', start)
    if (end === -1) end = text.length
    const last = end > start && text.charCodeAt(end - 1) === carriageReturn ? end - 1 : end
    if (last > start) {
      line(start, last)
      lines++
    }
    start = end + 1
  }
  return start
}
