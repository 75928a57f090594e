import { describe, expect, test } from 'vitest'
import { blocksOf, eachLine } from '../../../src/simulate/log/lines.js'

function linesOf(text: string): readonly string[] {
  const lines: string[] = []
  eachLine(text, 0, Infinity, (start, end) => lines.push(text.slice(start, end)))
  return lines
}

describe('eachLine', () => {
  test.each<readonly [string, readonly string[]]>([
    ['a\nb\n', ['a', 'b']],
    ['a\r\nb\r\n', ['a', 'b']],
    ['a\nb', ['a', 'b']],
    ['a\r\nb\r', ['a', 'b']],
    ['\n\na\r\n\r\n\nb\n\n', ['a', 'b']],
    ['a\rb\n', ['a\rb']],
    ['a\r\r\n', ['a\r']],
    ['', []],
  ])('%j', (text, lines) => {
    expect(linesOf(text)).toEqual(lines)
  })
})

describe('blocksOf', () => {
  async function blocks(...chunks: readonly string[]): Promise<readonly string[]> {
    async function* bytes(): AsyncGenerator<Buffer> {
      for (const chunk of chunks) yield Buffer.from(chunk)
    }
    const found: string[] = []
    for await (const { text } of blocksOf(bytes(), () => 0)) found.push(text)
    return found
  }

  test('a block ends with a line, and the last one with the log', async () => {
    expect(await blocks('a\nb', 'c\nd\n', 'e', 'f')).toEqual(['a\n', 'bc\nd\n', 'ef'])
    expect(await blocks('a\n', 'b\n')).toEqual(['a\n', 'b\n'])
    expect(await blocks()).toEqual([])
  })

  test('a character is one byte', async () => {
    expect(await blocks('é\n')).toEqual(['\xc3\xa9\n'])
  })

  test('a byte order mark at the start is not a part of the first line', async () => {
    const [mark, ...others] = await blocks('\ufeffa\n', '\ufeffb\n')
    expect([mark, others]).toEqual(['a\n', ['\xef\xbb\xbfb\n']])
    expect(await blocks('\ufeff')).toEqual([''])
  })

  test('only the start of a line that is too long is kept', async () => {
    const part = 'a'.repeat(400_000)
    const [block] = await blocks(...Array.from({ length: 9 }, () => part), '\nb\n')
    expect(block.length).toBe(1_200_000 + '\nb\n'.length)
  })
})
