/** Part of a log as text. All its lines are complete; its characters are the bytes of the log. */
export interface TextBlock {
  readonly text: string
  /** The bytes of the file that were read so far, compressed if the file is. */
  readonly bytesRead: number
}

/** Lines longer than this are skipped. */
export const longestLine = 1_000_000

const lineFeed = 0x0a

/** Joins chunks to blocks that end with a line. A line that is too long is replaced by its beginning, so that it is skipped and counted. */
export async function* blocksOf(
  chunks: AsyncIterable<Buffer>,
  bytesRead: () => number,
): AsyncGenerator<TextBlock> {
  let rest = ''
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(lineFeed) + 1
    if (end === 0) {
      if (rest.length <= longestLine) rest += chunk.toString('latin1')
      continue
    }
    yield { text: rest + chunk.toString('latin1', 0, end), bytesRead: bytesRead() }
    rest = chunk.toString('latin1', end)
  }
  if (rest !== '') yield { text: rest, bytesRead: bytesRead() }
}

/** Calls `line` with the start and the end of each line that is not empty, without its line break. */
export function eachLine(text: string, line: (start: number, end: number) => void): void {
  let start = 0
  while (start < text.length) {
    let end = text.indexOf('\n', start)
    if (end === -1) end = text.length
    const last = end > start && text.charCodeAt(end - 1) === carriageReturn ? end - 1 : end
    if (last > start) line(start, last)
    start = end + 1
  }
}

const carriageReturn = 0x0d
