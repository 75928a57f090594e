import { memoryStore } from '@sluice/core'
import type { Adapter } from '../adapter.js'
import { serversOf } from '../test-server.js'
import type { Reply } from '../client.js'
import { columns, type Cells } from './row.js'
import { rowGroups } from './rows.js'

/** The answers of one server to all requests of the table, in their order. */
export async function answersOf(adapter: Adapter): Promise<readonly Cells[]> {
  const open = serversOf(adapter, () => memoryStore())
  const answers: Cells[] = []
  for (const { options, extras, rows } of rowGroups) {
    const server = await open(options, extras)
    for (const { headers, method, after = 0 } of rows) {
      server.now += after
      answers.push(cellsOf(await server.get(headers, '/', method)))
    }
  }
  return answers
}

/** The wrong answers: the server, the row, the column, the expected and the received value. */
export function differences(adapter: Adapter, answers: readonly Cells[]): readonly string[] {
  const rows = rowGroups.flatMap(({ limits, rows }) => rows.map((row) => ({ limits, ...row })))
  return rows.flatMap(({ limits, request, answer }, i) =>
    columns.flatMap((column, j) =>
      answers[i][j] === answer[j] ||
      (adapter.answersWrongRequests && answer[0] === 400 && column === 'body')
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
