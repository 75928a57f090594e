import type { Change } from '@sluice/core/database'
import { loading, replying, saving, type Data, type Fault } from './fault.js'

const since = new WeakMap<Data, number>()

const always = { from: 0, until: 2 ** 52 }
const isAlone = (groups: readonly (readonly Change[])[]): boolean =>
  groups.length === 1 && groups[0].length === 1

const isDeletion = (groups: readonly (readonly Change[])[]): boolean =>
  groups.flat().some(({ bytes }) => bytes === undefined)

const outside = ', and the span was from '

/** The clock and the span. */
export const ofTimes: readonly Fault[] = [
  [
    'has a time in seconds',
    'time',
    'and that of this process',
    loading(({ now, rows }) => ({ now: Math.floor(now / 1000), rows })),
  ],
  [
    'has a Date as its time',
    'time',
    'and that of this process',
    loading(({ now, rows }) => ({ now: new Date(now) as unknown as number, rows })),
  ],
  [
    'has a time of whole seconds',
    'time',
    'which are whole seconds.',
    loading(({ now, rows }) => ({ now: Math.floor(now / 1000) * 1000, rows })),
  ],
  [
    'has the time of its start',
    'time',
    'Two pauses of 50 ms took ',
    (data) => {
      const start = since.get(data) ?? Date.now()
      since.set(data, start)
      return loading(({ rows }) => ({ now: start, rows }))(data)
    },
  ],
  [
    'has another clock when it saves',
    'time',
    'Two pauses of 50 ms took ',
    replying((saved) => ({ ...saved, now: saved.now - 10_000 })),
  ],
  [
    'ignores the beginning of the span',
    'span',
    outside,
    saving((groups, { until }) => [groups, { from: 0, until }]),
  ],
  [
    'ignores the end of the span',
    'span',
    outside,
    saving((groups, { from }) => [groups, { from, until: always.until }]),
  ],
  [
    'ignores the span for a row alone',
    'span',
    outside,
    saving((groups, span) => [groups, isAlone(groups) ? always : span]),
  ],
  [
    'ignores the span for two rows',
    'span',
    outside,
    saving((groups, span) => [groups, isAlone(groups) ? span : always]),
  ],
  [
    'ignores the span for a row that exists',
    'span',
    'It saved over a row outside of the span.',
    saving((groups, span) => [
      groups,
      isAlone(groups) && groups[0][0].bytes !== undefined && groups[0][0].version !== undefined
        ? always
        : span,
    ]),
  ],
  [
    'ignores the span for two rows that exist',
    'span',
    'It saved over two rows outside of the span.',
    saving((groups, span) => [
      groups,
      !isAlone(groups) && groups.flat().every(({ version }) => version !== undefined)
        ? always
        : span,
    ]),
  ],
  [
    'ignores the span when it deletes',
    'span',
    'It deleted a row outside of the span.',
    saving((groups, span) => [groups, isDeletion(groups) ? always : span]),
  ],
  [
    'ignores the beginning of the span when it deletes',
    'span',
    'It deleted a row outside of the span.',
    saving((groups, span) => [groups, { ...span, from: isDeletion(groups) ? 0 : span.from }]),
  ],
  [
    'ignores the end of the span when it deletes two rows',
    'span',
    'It deleted two rows outside of the span.',
    saving((groups, { from, until }) => [
      groups,
      { from, until: isDeletion(groups) && !isAlone(groups) ? always.until : until },
    ]),
  ],
  ...[1, 2].map((count): Fault => [
    `ignores the span when it replaces ${count} that have ended`,
    'span',
    `It replaced ${count === 1 ? 'a row' : 'two rows'} outside of the span.`,
    saving((groups, span, { map }) => {
      const isReplacement = groups
        .flat()
        .every(({ key, version }) => version === undefined && map.rows.has(key))
      return [groups, isReplacement && groups[0].length === count ? always : span]
    }),
  ]),
  [
    'saves in no span that begins when it was loaded',
    'span',
    'It did not save inside of the span.',
    saving((groups, { from, until }) => [groups, { from: from === 0 ? 0 : from + 1000, until }]),
  ],
  [
    'excludes the first millisecond of the span',
    'bounds',
    'In the first millisecond of the span it did not save.',
    saving((groups, { from, until }) => [groups, { from: from + 1, until }]),
  ],
  [
    'excludes the last millisecond of the span',
    'bounds',
    'In the last millisecond of the span it did not save.',
    saving((groups, { from, until }) => [groups, { from, until: until - 1 }]),
  ],
]
