import type { GroupReplay, VariantReplay } from '../replay.js'
import type { KeyTable } from '../tally/key-table.js'
import type { Timeline } from '../tally/timeline.js'
import type { CountedKey, Tally } from '../tally/tally.js'
import type { RequestsPoint, TopKey, VariantReport } from './report.js'

/** The numbers of one variant. */
export function variantReport(
  group: GroupReplay,
  { given, name, replay, tally }: VariantReplay,
  top: number,
): VariantReport {
  const { default: only, ...others } = replay.policies
  const isSingle = only !== undefined && Object.keys(others).length === 0
  return {
    name,
    ...(given.suggested === true ? { suggested: true } : {}),
    key: group.key.text,
    policies: isSingle ? only : replay.policies,
    unkeyed: group.unkeyed,
    ...tallyReport(tally, group.keys, top),
  }
}

type TallyReport = Omit<
  VariantReport,
  'name' | 'suggested' | 'key' | 'policies' | 'unkeyed' | 'rules'
>

export function tallyReport(tally: Tally, keys: KeyTable, top: number): TallyReport {
  const { timeline, askedSeries, deniedSeries } = tally
  const { worst } = tally
  worst.close()
  return {
    asked: tally.asked,
    denied: tally.denied,
    keys: keys.size,
    keysDenied: tally.keysDenied,
    worst: { from: worst.share === 0 ? '' : isoOf(worst.from), share: rounded(worst.share) },
    streak: tally.streak,
    denials: timeline.pointsOf(deniedSeries).map(({ at, interval }) => ({
      at: isoOf(at),
      asked: askedSeries[interval],
      denied: deniedSeries[interval],
    })),
    top: topKeys(tally, keys, top),
  }
}

export function topKeys(tally: Tally, keys: KeyTable, top: number): readonly TopKey[] {
  return tally
    .keys()
    .slice(0, top)
    .map((counted) => topKey(counted, keys))
}

function topKey({ key, number, denied, error, details }: CountedKey, keys: KeyTable): TopKey {
  const { path, count } = details.mostlyAt()
  return {
    key,
    asked: number === -1 ? denied : keys.asked(number),
    denied,
    error,
    first: isoOf(details.first),
    last: isoOf(details.last),
    mostlyAt: path,
    mostlyAtShare: rounded(count / details.denied),
    ...(details.agent === undefined ? {} : { agent: details.agent }),
    denials: details.timeline
      .pointsOf(details.series)
      .map(({ at, interval }) => ({ at: isoOf(at), denied: details.series[interval] })),
  }
}

/** The requests of the log over time. */
export function requestsReport(
  timeline: Timeline,
  requests: Float64Array,
): readonly RequestsPoint[] {
  return timeline
    .pointsOf(requests)
    .map(({ at, interval }) => ({ at: isoOf(at), asked: requests[interval] }))
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}

/** Rounds a share to six decimal places. */
function rounded(share: number): number {
  return Math.round(share * 1e6) / 1e6
}
