import type { Policy, Verdict } from '@sluice/core'
import type { ExplainedRule, Explanation, RuleContext } from '@sluice/rules'
import type { Standing } from '../reading/counts.js'
import { durationText } from '../text/duration.js'
import { policyText } from '../text/policy.js'
import type { Style } from './style.js'
import { visible } from '../text/visible.js'

/** The result of `sluice explain`. */
export interface ExplainReport {
  readonly file: string
  readonly name: string
  readonly context: RuleContext
  readonly at: number
  readonly explanation: Explanation
  /** Absent without Redis. */
  readonly standing: Standing | undefined
}

/** Formats an explanation as text. */
export function explanationAsText(report: ExplainReport, style: Style): string {
  const { explanation, standing } = report
  const width = Math.max(...explanation.rules.map(({ id }) => visible(id).length))
  const digits = `${explanation.rules.length}`.length
  const indent = ' '.repeat(digits + width + 9)
  const lines = [
    style.strong(requestLine(report)),
    '',
    ...explanation.rules.flatMap((rule) => [
      `${`${rule.position}`.padStart(digits)}  ${visible(rule.id).padEnd(width)}  ${verdictOf(rule, style)}`,
      ...detailsOf(rule, standing).map((detail) => `${indent}${detail}`),
    ]),
    '',
    ...summary(explanation),
    ...(standing === undefined ? [] : [decisionLine(standing, style)]),
  ]
  return `${lines.join('\n')}\n`
}

function requestLine({ file, context, at }: ExplainReport): string {
  const { method, url, ip } = context
  const line = method === undefined ? 'a request without HTTP' : `${method} ${url}`
  const from = ip === undefined ? '' : ` from ${ip}`
  return visible(`${file}: ${line}${from} at ${new Date(at).toISOString()}`)
}

function verdictOf({ applies, reason }: ExplainedRule, { success, faint }: Style): string {
  const text = visible(reason)
  return applies ? `${success('yes')}  ${text}` : `${faint('no')}   ${faint(text)}`
}

function detailsOf(rule: ExplainedRule, standing: Standing | undefined): readonly string[] {
  const { key, policies, cost } = rule
  if (key === undefined || policies === undefined) return []
  const names = Object.keys(policies)
  return [
    `key    ${visible(typeof key === 'string' ? key : JSON.stringify(key))}`,
    ...names.flatMap((name) =>
      [`limit  ${limitText(name, policies[name], names.length > 1, rule)}`].concat(
        countLines(standing?.counts.get(name)),
      ),
    ),
    ...(cost === 1 || cost === undefined ? [] : [`cost   ${cost}`]),
  ]
}

function limitText(
  name: string,
  policy: Policy,
  isNamed: boolean,
  { chosenBy = [], ownPolicies, ownChosenBy = [] }: ExplainedRule,
): string {
  const origin = chosenBy.length === 0 ? '' : `  (${chosenBy.join(', ')})`
  const own = ownPolicies?.[name]
  const ownOrigin = ownChosenBy.length === 0 ? '' : ` (${ownChosenBy.join(', ')})`
  const instead = own === undefined ? '' : ` in place of ${policyText(own)}${ownOrigin}`
  return visible(`${isNamed ? `${name}: ` : ''}${policyText(policy)}${origin}${instead}`)
}

function countLines(verdict: Verdict | undefined): readonly string[] {
  if (verdict === undefined) return []
  const { allowed, limit, remaining, used, retryAfterMs, resetMs, delayMs } = verdict
  if (limit === Infinity) return ['now    no limit']
  const count = `${used} used, ${remaining} of ${limit} remain`
  if (!allowed) return [`now    denies: ${count}, ${againText(retryAfterMs)}`]
  const delay = delayMs > 0 ? `, delayed by ${durationText(delayMs)}` : ''
  const full = resetMs > 0 ? `, full in ${durationText(resetMs)}` : ''
  return [`now    allows: ${count}${full}${delay}`]
}

function summary(explanation: Explanation): readonly string[] {
  const { type, asked, shadow, endedBy, tags, rules } = explanation
  const tagged = tags.length === 0 ? [] : [`tags: ${listText(tags)}`]
  if (type === 'refuse')
    return [`Refused by ${visible(endedBy ?? '')}. No limit is asked.`, ...tagged]
  const ended =
    endedBy === undefined
      ? ''
      : `; ${visible(endedBy)} allows the request, and no rule below it is asked`
  const others = rules.length - asked.length - shadow.length
  return [
    `asked: ${listText(asked)}   shadow: ${listText(shadow)}   not asked: ${others} ${others === 1 ? 'rule' : 'rules'}${ended}`,
    ...(asked.length === 0 ? ['No rule limits this request.'] : []),
    ...tagged,
  ]
}

function decisionLine(standing: Standing, style: Style): string {
  const { allowed, delayMs, rule, outcome, retryAfterMs, tags } = standing.decision
  const tagged = tags.length === 0 ? '' : `, tags: ${listText(tags)}`
  if (allowed) {
    const delay = delayMs > 0 ? `, delayed by ${durationText(delayMs)}` : ''
    return `now: ${style.success('allowed')}${delay}${tagged}`
  }
  const waitMs = waitOf(standing)
  if (waitMs !== undefined) {
    return `now: ${style.warning('delayed')} by ${visible(rule ?? '')}, allowed in ${durationText(waitMs)}`
  }
  const what = outcome === undefined ? '' : ` (${visible(JSON.stringify(outcome))})`
  return `now: ${style.error('denied')} by ${visible(rule ?? '')}${what}, ${againText(retryAfterMs)}`
}

/** The delay of the request, if all rules that it exceeds delay it at least that long. Undefined if the request is denied. */
function waitOf({ exceeded }: Standing): number | undefined {
  let [wait, longest] = [0, Infinity]
  for (const { outcome, retryAfterMs } of exceeded) {
    if (outcome.type === 'tag') continue
    if (outcome.type !== 'delay' || retryAfterMs === null) return undefined
    wait = Math.max(wait, retryAfterMs)
    longest = Math.min(longest, outcome.maxMs)
  }
  return wait <= longest ? wait : undefined
}

function againText(retryAfterMs: number | null): string {
  return retryAfterMs === null ? 'never again' : `again in ${durationText(retryAfterMs)}`
}

function listText(words: readonly string[]): string {
  return words.length === 0 ? 'none' : words.map(visible).join(', ')
}
