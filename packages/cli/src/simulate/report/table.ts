import { grouped } from '../../text/numbers.js'
import { visible } from '../../text/visible.js'
import { aligned } from '../../text/width.js'
import type { Report, TopKey, VariantReport } from './report.js'

export interface TableOptions {
  /** How long the simulation took, in milliseconds. */
  readonly tookMs: number
}

/** Formats a report as text for a terminal. */
export function reportAsText(report: Report, { tookMs }: TableOptions): string {
  const { log, variants } = report
  const seconds = tookMs / 1000
  const keys = Math.max(...variants.map(({ keys }) => keys), 0)
  const head = [
    `${visible(log.files.join(', '))}  ${grouped(log.lines)} lines, ${log.from} … ${log.to}, ${grouped(keys)} keys`,
    `format ${log.format}; ${seconds.toFixed(1)} s, ${grouped(Math.round(log.lines / Math.max(seconds, 0.001)))} lines/s`,
  ]
  const [first] = variants
  const parts = [head.join('\n'), tableOf(variants)]
  parts.push(...variants.flatMap(rulesOf))
  if (first !== undefined && first.top.length > 0) parts.push(topOf(first))
  parts.push(
    ...comparedOf(report),
    [...tailOf(report), ...report.notes.map((note) => `note: ${visible(note)}`)].join('\n'),
  )
  return `${parts.join('\n\n')}\n`
}

const columns = ['', 'denied', 'share', 'keys denied', 'worst 5 min', 'longest streak']

function tableOf(variants: readonly VariantReport[]): string {
  const rows = variants.map(({ name, suggested, asked, denied, keysDenied, worst, streak }) => [
    `${visible(name)}${suggested === true ? ' (suggested)' : ''}`,
    grouped(denied),
    percent(asked === 0 ? 0 : denied / asked),
    grouped(keysDenied),
    percent(worst.share),
    grouped(streak.length),
  ])
  return alignedRows([columns, ...rows])
}

function rulesOf({ name, rules }: VariantReport): string[] {
  if (rules === undefined) return []
  const rows = rules.map(({ id, asked, denied, shadowDenied }) => [
    visible(id),
    grouped(asked),
    grouped(denied),
    grouped(shadowDenied),
  ])
  return [
    alignedRows([[`rules of ${visible(name)}`, 'asked', 'denied', 'denied in shadow'], ...rows]),
  ]
}

function topOf({ name, top }: VariantReport): string {
  return `top keys by denials (${visible(name)})\n${keyRows(top.slice(0, 10))}`
}

function keyRows(top: readonly TopKey[]): string {
  const rows = top.map(({ key, asked, denied, error, mostlyAt, mostlyAtShare, agent }) => [
    `  ${visible(key)}`,
    `${error > 0 ? '≤ ' : ''}${grouped(denied)} of ${grouped(asked)}`,
    ` ${pathOf(mostlyAt, mostlyAtShare)}`,
    agent === undefined ? '' : `"${cut(visible(agent), 60)}"`,
  ])
  return aligned(rows, (column) => column === 1)
    .map((line) => line.trimEnd())
    .join('\n')
}

/** If few of the denied requests had the same path, the path does not describe the key. */
function pathOf(path: string, share: number): string {
  if (share < 0.1) return 'many paths'
  return `${cut(visible(path), 50)} (${Math.floor(share * 100)} %)`
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}

function comparedOf({ compared }: Report): string[] {
  if (compared === undefined) return []
  const { baseline, variant } = compared
  const lines = [
    `${visible(variant)} compared with ${visible(baseline)}: ${grouped(compared.requestsNewlyDenied)} requests of ${grouped(compared.keysNewlyDenied)} keys are newly denied, ${grouped(compared.requestsNewlyAllowed)} requests of ${grouped(compared.keysNewlyAllowed)} keys newly allowed`,
  ]
  if (compared.newlyDenied.length > 0) {
    lines.push('newly denied', keyRows(compared.newlyDenied.slice(0, 10)))
  }
  if (compared.newlyAllowed.length > 0) {
    lines.push('newly allowed', keyRows(compared.newlyAllowed.slice(0, 10)))
  }
  return [lines.join('\n')]
}

function tailOf({ log }: Report): string[] {
  const skipped = Object.entries(log.skipped)
  const sum = skipped.reduce((total, [, lines]) => total + lines, 0)
  const reasons = skipped.map(([reason, lines]) => `${grouped(lines)} ${reason}`).join(', ')
  const lines: string[] = []
  if (sum > 0) lines.push(`skipped: ${grouped(sum)} lines (${reasons})`)
  if (log.late > 0) lines.push(`late: ${grouped(log.late)} lines, replayed after their own time`)
  return lines
}

/** Aligns the first column to the left and the others to the right. */
function alignedRows(rows: readonly (readonly string[])[]): string {
  return aligned(rows, (column) => column > 0, 3).join('\n')
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`
}
