import type { GroupReplay, VariantReplay } from '../replay.js'
import type { KeyTable } from '../tally/key-table.js'
import type { Series } from '../tally/series.js'
import type { CountedKey, Tally } from '../tally/tally.js'
import type { RulesReplay } from '../rules/replay-rules.js'
import type { SeriesPoint, TopKey, VariantReport } from './report.js'

/** The numbers of one variant. */
export function variantReport(
  group: GroupReplay,
  { name, replay, tally }: VariantReplay,
  top: number,
): VariantReport {
  const { default: only, ...named } = replay.policies
  return {
    name,
    key: group.key.text,
    policies: only ?? named,
    unkeyed: group.unkeyed,
    ...tallyReport(tally, group.keys, top),
  }
}

/** The numbers of one rules document. */
export function rulesReport(
  name: string,
  { set, keys, tally }: RulesReplay,
  top: number,
): VariantReport {
  const rules = [...set.stats].map(([id, { asked, denied, refused, shadowDenied }]) => ({
    id,
    asked: asked + refused,
    denied: denied + refused,
    shadowDenied,
  }))
  return { name, policies: set.document, unkeyed: 0, rules, ...tallyReport(tally, keys, top) }
}

export type TallyReport = Omit<VariantReport, 'name' | 'key' | 'policies' | 'unkeyed' | 'rules'>

export function tallyReport(tally: Tally, keys: KeyTable, top: number): TallyReport {
  tally.worst.close()
  return {
    asked: tally.asked,
    denied: tally.denied,
    keys: keys.size,
    keysDenied: tally.keysDenied,
    worst: { from: isoOf(tally.worst.from), share: rounded(tally.worst.share) },
    streak: tally.streak,
    series: pointsOf(tally.series),
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
    series: pointsOf(details.series).map(({ at, asked }) => ({ at, asked, denied: asked })),
  }
}

function pointsOf(series: Series): readonly SeriesPoint[] {
  return Array.from({ length: series.length }, (_, i) => ({
    at: isoOf(series.start + i * series.widthMs),
    asked: series.asked[i],
    denied: series.denied[i],
  }))
}

export function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}

/** Rounds a share to six decimal places. */
export function rounded(share: number): number {
  return Math.round(share * 1e6) / 1e6
}
