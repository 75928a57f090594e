import type { DeniedKey, LimiterView, TopKey, View } from '@sluice/dashboard'
import { ratesOf } from '../live/rates.js'
import { shownKey } from '../reading/key-text.js'
import { durationText } from '../text/duration.js'
import { grouped, rateText, shareText } from '../text/numbers.js'
import { visible } from '../text/visible.js'
import { cutTo, padTo, widthOf } from '../text/width.js'
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
  const { columns, rows, keys } = options
  const head = [headLine(view, options), ...noteLines(view, options)]
  const limiters = limiterTable(view)
  const denied = deniedRows(view)
  const top = topRows(view)
  // Each table has an empty line and its columns above it.
  const free = rows - head.length - 6
  const [ofLimiters, ofDenied, ofTop] = shares(free, [
    limiters.rows.length,
    Math.min(keys, denied.length),
    Math.min(keys, top.length),
  ])
  const tables = [
    table(limiters.columns, limiters.rows, ofLimiters, 'no request yet', options),
    table(deniedColumns, denied, ofDenied, 'no key is denied', options),
    table(topColumns, top, ofTop, 'no requests', options),
  ]
  return [head, ...tables.map((lines) => [emptyLine].concat(lines))]
    .flat()
    .slice(0, rows)
    .map(({ text, paint }) => paint(cutTo(columns, text)))
}

/** A line that is cut before it is painted, because colors have no width. */
interface Line {
  readonly text: string
  readonly paint: (text: string) => string
}

const asItIs = (text: string): string => text

const emptyLine: Line = { text: '', paint: asItIs }

function headLine({ at, processes }: View, { place, rows, style }: TopOptions): Line {
  const time = new Date(at).toISOString().slice(11, 19)
  const keys = rows === Infinity ? '' : '  q quits'
  return {
    text: `sluice top  ${time} UTC  ${processCount(processes)}${keys}  ${visible(place)}`,
    paint: style.strong,
  }
}

function processCount(processes: number): string {
  return `${processes} ${processes === 1 ? 'process' : 'processes'}`
}

function noteLines(view: View, { failure, style }: TopOptions): readonly Line[] {
  const notes = notesOf(view).map((text) => ({ text, paint: style.warning }))
  return failure === undefined ? notes : [{ text: visible(failure), paint: style.error }, ...notes]
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

const limiterColumns = [
  'req/s',
  'denied/s',
  'share',
  'last hour',
  'denied',
  'would deny',
  'keys denied',
  'limiter',
]

/** The columns of the limiters, and their rows. "would deny" is a column only if a limiter has such denials. */
function limiterTable(view: View): { columns: Row; rows: readonly Row[] } {
  const all = view.limiters
    .map((limiter) => ({ limiter, rates: ratesOf(limiter, view) }))
    .sort((a, b) => b.rates.asked - a.rates.asked)
  const isTried = all.some(({ rates }) => rates.wouldDenyInHour > 0)
  const column = limiterColumns.indexOf('would deny')
  const shown = (cells: Row): Row => (isTried ? cells : cells.toSpliced(column, 1))
  return {
    columns: shown(limiterColumns),
    rows: all.map(({ limiter: { name, deniedTotal }, rates }) =>
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
    ),
  }
}

const deniedColumns = ['denials', 'allowed', 'limiter', 'by', 'denied key']

function deniedRows({ limiters, at }: View): readonly Row[] {
  return limiters
    .flatMap(({ name, denied }) => denied.map((key) => ({ name, key })))
    .sort((a, b) => b.key.denials - a.key.denials)
    .map(({ name, key }) => [
      grouped(key.denials),
      allowedText(key, at),
      visible(name),
      visible(key.policies.join(',')) + (key.isBlocked ? ' (blocked)' : ''),
      shownKey(key.key),
    ])
}

function allowedText({ untilAt }: DeniedKey, at: number): string {
  if (untilAt === null) return 'never'
  return untilAt > at ? `in ${durationText(untilAt - at)}` : 'now'
}

const topColumns = ['requests', 'at least', 'limiter', 'key with the most requests']

function topRows({ limiters }: View): readonly Row[] {
  const most = limiters.flatMap(({ name, top }: LimiterView) =>
    top.requests.keys.map((key: TopKey) => ({ name, ...key })),
  )
  return most
    .sort((a, b) => b.count - a.count)
    .map(({ name, key, count, error }) => [
      grouped(count),
      error === 0 ? '' : grouped(count - error),
      visible(name),
      shownKey(key),
    ])
}

/** The first rows. Numbers are aligned to the right. The last two columns are texts, and the last one may be cut. */
function table(
  names: Row,
  rows: readonly Row[],
  most: number,
  empty: string,
  { style }: TopOptions,
): readonly Line[] {
  if (rows.length === 0) return [{ text: empty, paint: style.faint }]
  const all = [names, ...rows.slice(0, most)]
  const widths = names.map((_, i) => Math.max(...all.map((row) => widthOf(row[i]))))
  const isText = names.map((name) => textColumns.has(name))
  return all.map((row, number) => ({
    text: row
      .map((cell, i) => (i === names.length - 1 ? cell : padTo(widths[i], cell, !isText[i])))
      .join('  '),
    paint: number === 0 ? style.faint : asItIs,
  }))
}

const textColumns = new Set(['limiter', 'by', 'allowed'])

/** Shares the free lines among tables: each gets what it needs, or an equal share of what the others leave. */
function shares(free: number, needs: readonly number[]): readonly number[] {
  const given = needs.map(() => 0)
  let left = Math.max(0, free)
  if (left === Infinity) return needs
  while (left > 0 && needs.some((need, i) => given[i] < need)) {
    for (const [i, need] of needs.entries()) {
      if (left > 0 && given[i] < need) {
        given[i]++
        left--
      }
    }
  }
  return given
}
