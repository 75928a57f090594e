import { createHmac, randomBytes } from 'node:crypto'
import type { Report, TopKey } from './report.js'

/**
 * Replaces the keys by hashes with a secret that exists only during this run, and leaves out user agents and paths, which may contain names. Equal keys
 * have equal hashes within one report, and different ones in another report.
 */
export function anonymized(report: Report): Report {
  const secret = randomBytes(32)
  const hashed = (key: string): string =>
    key === '' ? '' : `#${createHmac('sha256', secret).update(key).digest('hex').slice(0, 16)}`
  const top = (keys: readonly TopKey[]): readonly TopKey[] =>
    keys.map(({ agent: _agent, ...key }) => ({ ...key, key: hashed(key.key), mostlyAt: '' }))
  const { compared } = report
  return {
    ...report,
    // An error can quote a value of a request.
    notes: report.notes.map((note) => note.replace(/; the first error: .*$/s, '.')),
    variants: report.variants.map((variant) => ({
      ...variant,
      streak: { ...variant.streak, key: hashed(variant.streak.key) },
      top: top(variant.top),
    })),
    ...(compared === undefined
      ? {}
      : {
          compared: {
            ...compared,
            newlyDenied: top(compared.newlyDenied),
            newlyAdmitted: top(compared.newlyAdmitted),
          },
        }),
  }
}
