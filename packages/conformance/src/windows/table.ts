import { randomUUID } from 'node:crypto'
import type { Store } from '@sluice/core'
import { replay, rules, type Outcome } from './replay.js'
import { adversarial, bursty, steady, type Traffic } from './traffic.js'

/** The table of the page, as measured over this store. */
export async function windowTable(store: Store): Promise<string> {
  const rows: string[][] = []
  for (const [kind, traffics] of Object.entries({ bursty, steady, adversarial })) {
    for (const traffic of traffics) {
      const outcomes = await outcomesOf(traffic, store)
      rows.push([kind, traffic.name, limitOf(traffic), ...outcomes.map(figuresOf)])
    }
  }
  return [
    'Requests denied, in percent; in brackets those that were denied falsely: the window that ended then held fewer requests than the limit. Then the most requests allowed in any window.',
    tableOf(rows),
  ].join('\n\n')
}

async function outcomesOf(traffic: Traffic, store: Store): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const build of Object.values(rules)) {
    outcomes.push(await replay(traffic, build, store, randomUUID()))
  }
  return outcomes
}

function limitOf({ limit, windowMs }: Traffic): string {
  return `${limit} / ${windowMs === 1000 ? '1s' : '1m'}`
}

function figuresOf({ asked, denied, deniedFalsely, worstWindow }: Outcome): string {
  return `${percent(denied / asked)} (${percent(deniedFalsely / asked)}), ${worstWindow}`
}

function percent(share: number): string {
  return share === 0 ? '0' : (100 * share).toFixed(1)
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const columns = ['', 'traffic', 'limit', ...Object.keys(rules)]
  const rule = columns.map((_, i) => (i < 3 ? '---' : '---:'))
  return [columns, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const marks = { begin: '<!-- windows -->', end: '<!-- /windows -->' }

/** The page with this table between its marks. */
export function withTable(page: string, table: string): string {
  const [before, between, ...rest] = page.split(marks.begin)
  const [, after, ...more] = (between ?? '').split(marks.end)
  if (after === undefined || rest.length > 0 || more.length > 0) {
    throw new Error(`the page has not one pair of marks ${marks.begin} and ${marks.end}`)
  }
  return [before, marks.begin, '\n\n', table, '\n\n', marks.end, after].join('')
}
