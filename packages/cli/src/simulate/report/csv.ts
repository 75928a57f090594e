import type { Report } from './report.js'

const columns = ['variant', 'key', 'asked', 'denied', 'error', 'first', 'last', 'mostlyAt', 'agent']

/** The denied keys of all variants, one in each row (RFC 4180). */
export function reportAsCsv({ variants }: Report): string {
  const rows = variants.flatMap(({ name, top }) =>
    top.map(({ key, asked, denied, error, first, last, mostlyAt, agent = '' }) =>
      [name, key, asked, denied, error, first, last, mostlyAt, agent].map(cell).join(','),
    ),
  )
  return `${[columns.join(','), ...rows].join('\r\n')}\r\n`
}

function cell(value: string | number): string {
  if (typeof value === 'number') return `${value}`
  // A spreadsheet runs a cell that begins like this as a formula, and clients can write such text into a log.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
