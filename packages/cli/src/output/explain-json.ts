import type { ExplainReport } from './explain-report.js'
import { visibleJson } from '../text/visible.js'

/** Formats an explanation as JSON. */
export function explanationAsJson(report: ExplainReport): string {
  const { file, name, context, at, explanation, standing } = report
  const { method, url, host, route, ip } = context
  return `${visibleJson({
    file,
    name,
    // Headers and cookies may be secrets.
    request: { method, url, host, route, ip, at: new Date(at).toISOString() },
    ...explanation,
    standing: standing && {
      allowed: standing.decision.allowed,
      rule: standing.decision.rule,
      outcome: standing.decision.outcome,
      tags: standing.decision.tags,
      retryAfterMs: standing.decision.retryAfterMs,
      delayMs: standing.decision.delayMs,
      exceeded: standing.exceeded,
      counts: Object.fromEntries(standing.counts),
    },
  })}\n`
}
