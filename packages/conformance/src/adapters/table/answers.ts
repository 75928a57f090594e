import { memoryStore } from '@sluice/core'
import type { Adapter } from '../adapter.js'
import { benchOf } from '../bench.js'
import type { Reply } from '../client.js'
import { columns, type Cells } from './row.js'
import { scenes } from './scenes.js'

/** What one server answers to all requests of the table, in their order. */
export async function answersOf(adapter: Adapter): Promise<readonly Cells[]> {
  const open = benchOf(adapter, () => memoryStore())
  const answers: Cells[] = []
  for (const { options, extras, rows } of scenes) {
    const bench = await open(options, extras)
    for (const { headers, method, after = 0 } of rows) {
      bench.now += after
      answers.push(cellsOf(await bench.get(headers, '/', method)))
    }
  }
  return answers
}

/** Where an answer is not what it must be: the server, the row, the column, and both. */
export function differences(adapter: Adapter, answers: readonly Cells[]): readonly string[] {
  const rows = scenes.flatMap(({ limits, rows }) => rows.map((row) => ({ limits, ...row })))
  return rows.flatMap(({ limits, request, answer }, i) =>
    columns.flatMap((column, j) =>
      answers[i][j] === answer[j]
        ? []
        : `${adapter.name}; ${limits}; ${request}; ${column}: ${show(answers[i][j])} instead of ${show(answer[j])}`,
    ),
  )
}

function cellsOf({ status, headers, body }: Reply): Cells {
  const legacy = ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`])
  return [
    status,
    headers['ratelimit-policy'] ?? '',
    headers['ratelimit'] ?? '',
    headers['retry-after'] ?? '',
    legacy.filter((value) => value !== undefined).join(', '),
    headers['content-type'] ?? '',
    body,
  ]
}

function show(cell: string | number): string {
  return cell === '' ? 'nothing' : String(cell)
}
