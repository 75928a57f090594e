import type { View } from '@sluice/dashboard'
import { ratesOf } from '../live/rates.js'
import { shownKey } from '../reading/key-text.js'
import { durationText } from '../text/duration.js'
import { grouped, rateText, shareText } from '../text/numbers.js'
import { visible } from '../text/visible.js'
import { aligned, cutTo } from '../text/width.js'
import type { Style } from './style.js'

export interface TopOptions {
  /** The place of the data: the URL without secrets. */
  readonly place: string
  /** The size of the terminal. Infinity: all rows, and lines of any length. */
  readonly columns: number
  readonly rows: number
  /** The most keys in each list. */
  readonly keys: number
  readonly style: Style
  /** Why the view is not of this moment. */
  readonly failure?: string | undefined
}

/** Draws a view as tables: the limiters, the denied keys, the keys with the most requests. At most `rows` lines. */
export function topLines(view: View, options: TopOptions): readonly string[] {
  const { columns, rows, keys, style, failure } = options
  const notes = notesOf(view).map((text) => style.warning(cutTo(columns, text)))
  const failures = failure === undefined ? [] : [style.error(cutTo(columns, visible(failure)))]
  const head = [style.strong(cutTo(columns, headLine(view, options))), ...failures, ...notes]
  const tables = [limiterTable(view), deniedTable(view, keys), topTable(view, keys)]
  // Each table has an empty line and its columns above it.
  const given = shares(
    rows - head.length - 2 * tables.length,
    tables.map((table) => table.most),
  )
  return [head, ...tables.map((table, i) => [''].concat(tableLines(table, given[i], options)))]
    .flat()
    .slice(0, rows)
}

function headLine({ at, processes }: View, { place, rows }: TopOptions): string {
  const time = new Date(at).toISOString().slice(11, 19)
  const keys = rows === Infinity ? '' : '  q quits'
  return `sluice top  ${time} UTC  ${processCount(processes)}${keys}  ${visible(place)}`
}

function processCount(processes: number): string {
  return `${processes} ${processes === 1 ? 'process' : 'processes'}`
}

/** Everything that restricts the meaning of the numbers, and everything that does not work. */
export function notesOf({ processes, share, stores, rules }: View): readonly string[] {
  const notes: string[] = []
  if (processes === 0) notes.push(nobody)
  if (share.state === 'none')
    notes.push('only this process is shown: the dashboard has no option "share"')
  if (share.state === 'failed') {
    notes.push(`only this process is shown: ${share.error ?? 'Redis did not answer'}`)
  }
  if (share.notMerged > 0)
    notes.push(`not shown: ${processCount(share.notMerged)} of another version`)
  for (const { name, state, errors, lastError } of stores) {
    if (state === 'ok') continue
    const why = lastError === undefined ? '' : `: ${lastError.message}`
    notes.push(
      `store ${name} is unavailable, ${grouped(errors)} ${errors === 1 ? 'error' : 'errors'} in the last hour${why}`,
    )
  }
  if (rules?.refused !== undefined) {
    const since = new Date(rules.refused.at).toISOString()
    notes.push(`rules ${rules.name}: refused since ${since}: ${rules.refused.message}`)
  }
  return notes.map(visible)
}

/** A dashboard shows at least its own process, so this is said about Redis. */
const nobody =
  'no process has written data: does the application pass "share: redisView(redis)" to createDashboard, with this prefix?'

type Row = readonly string[]

interface Table {
  readonly columns: Row
  readonly rows: readonly Row[]
  /** The most rows that are shown. */
  readonly most: number
  /** The text in place of a table without rows. */
  readonly empty: string
}

const limiterColumns = 'req/s|denied/s|share|last hour|denied|would deny|keys denied|limiter'.split(
  '|',
)
const wouldDeny = limiterColumns.indexOf('would deny')

/** "would deny" is a column only if a limiter has such denials. */
function limiterTable(view: View): Table {
  const all = view.limiters
    .map((limiter) => ({ limiter, rates: ratesOf(limiter, view) }))
    .sort((a, b) => b.rates.asked - a.rates.asked)
  const isTried = all.some(({ rates }) => rates.wouldDenyInHour > 0)
  const shown = (cells: Row): Row => (isTried ? cells : cells.toSpliced(wouldDeny, 1))
  const rows = all.map(({ limiter: { name, deniedTotal }, rates }) =>
    shown([
      rateText(rates.asked),
      rateText(rates.denied),
      shareText(rates.denied, rates.asked),
      grouped(rates.askedInHour),
      grouped(rates.deniedInHour),
      grouped(rates.wouldDenyInHour),
      grouped(deniedTotal),
      visible(name),
    ]),
  )
  return { columns: shown(limiterColumns), rows, most: rows.length, empty: 'no request yet' }
}

function deniedTable({ limiters, at }: View, keys: number): Table {
  const rows = limiters
    .flatMap(({ name, denied }) => denied.map((key) => ({ name, key })))
    .sort((a, b) => b.key.denials - a.key.denials)
    .map(({ name, key: { key, denials, policies, isBlocked, untilAt } }) => [
      grouped(denials),
      untilAt === null ? 'never' : untilAt > at ? `in ${durationText(untilAt - at)}` : 'now',
      visible(name),
      visible(policies.join(',')) + (isBlocked ? ' (blocked)' : ''),
      shownKey(key),
    ])
  const columns = ['denials', 'allowed', 'limiter', 'by', 'denied key']
  return { columns, rows, most: Math.min(keys, rows.length), empty: 'no key is denied' }
}

function topTable({ limiters }: View, keys: number): Table {
  const rows = limiters
    .flatMap(({ name, top }) => top.requests.keys.map((key) => ({ name, ...key })))
    .sort((a, b) => b.count - a.count)
    .map(({ name, key, count, error }) => [
      grouped(count),
      error === 0 ? '' : grouped(count - error),
      visible(name),
      shownKey(key),
    ])
  const columns = ['requests', 'at least', 'limiter', 'key with the most requests']
  return { columns, rows, most: Math.min(keys, rows.length), empty: 'no requests' }
}

const textColumns = new Set(['limiter', 'by', 'allowed'])

/** The first rows. Numbers are aligned to the right. The last two columns are texts, and the last one may be cut. */
function tableLines(
  { columns: names, rows, empty }: Table,
  most: number,
  { style, columns }: TopOptions,
): readonly string[] {
  if (rows.length === 0) return [style.faint(cutTo(columns, empty))]
  const lines = aligned(
    [names, ...rows.slice(0, most)],
    (i) => i < names.length - 1 && !textColumns.has(names[i]),
  )
  return lines.map((line, i) => (i === 0 ? style.faint : String)(cutTo(columns, line)))
}

/** Shares the free lines among tables: each gets what it needs, or an equal share of what the others leave. */
function shares(free: number, needs: readonly number[]): readonly number[] {
  let left = Math.max(0, free)
  const given = new Map<number, number>()
  const byNeed = needs.map((need, i) => [need, i] as const).sort((a, b) => a[0] - b[0])
  for (const [turn, [need, i]] of byNeed.entries()) {
    const share = Math.min(need, Math.ceil(left / (needs.length - turn)))
    given.set(i, share)
    left -= share
  }
  return needs.map((_, i) => given.get(i) ?? 0)
}
