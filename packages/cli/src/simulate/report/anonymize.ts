import { createHmac, randomBytes } from 'node:crypto'
import type { Report, TopKey } from './report.js'

/**
 * Replaces keys with hashes and removes user agents and paths, which can contain names. The hashes use a random secret of this run: equal keys have
 * equal hashes in one report, and different hashes in another report.
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
    // The message of an error can quote a value of a request.
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
            newlyAllowed: top(compared.newlyAllowed),
          },
        }),
  }
}
