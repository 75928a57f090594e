const rules = 'packages/rules/src'

export const area = 'rules'

export const tests = [
  'packages/rules/test/walk packages/rules/test/predicates packages/rules/test/values packages/rules/test/overrides packages/rules/test/paths packages/rules/test/schedules',
  'packages/rules/test/index-equals-naive packages/rules/test/explain packages/rules/test/findings packages/rules/test/warnings packages/rules/test/check-rules packages/rules/test/value-from-text packages/rules/test/json-mistakes',
  'packages/rules/test/koala packages/rules/test/bounds packages/rules/test/loading/read-rules-file packages/rules/test/loading/limiter',
]

export const mutants = [
  {
    file: `${rules}/match/candidates/candidate-index.ts`,
    name: 'a rule that is found twice is judged twice',
    find: 'if (this.#postings[i][this.#positions[i]] === least) this.#positions[i]++',
    replace: 'if (this.#postings[i][this.#positions[i]] === least) { this.#positions[i]++; break }',
  },
  {
    file: `${rules}/match/candidates/sources.ts`,
    name: 'the index finds no number that is written as a text',
    find: 'if (number !== undefined) search.add(postings.get(number))',
    replace: '',
  },
  {
    file: `${rules}/match/candidates/sources.ts`,
    name: 'a rule whose value fails is no candidate',
    find: 'if (value === anything || value instanceof Failure) search.add(all)',
    replace: 'if (value === anything || value instanceof Failure) return',
  },
  {
    file: `${rules}/match/predicates/operators.ts`,
    name: 'a regular expression sees all of a value',
    find: 'text.slice(0, longestSearched)',
    replace: 'text',
  },
  {
    file: `${rules}/match/predicates/operator-conditions.ts`,
    name: 'the upper bound of a range is outside',
    find: 'to: (value: number) => value <= bound',
    replace: 'to: (value: number) => value < bound',
  },
  {
    file: `${rules}/match/paths/readings.ts`,
    name: 'parameters of a segment make another path',
    find: 'semicolon === -1 ? segment : segment.slice(0, semicolon)',
    replace: 'segment',
  },
  {
    file: `${rules}/match/paths/clear.ts`,
    name: 'an exemption sees a path that can mean something else',
    find: 'path !== undefined && isClear(path) ? path : undefined',
    replace: 'path',
  },
  {
    file: `${rules}/match/schedule.ts`,
    name: 'a stretch that began yesterday is over',
    find: 'let day = -2; day <= horizonDays',
    replace: 'let day = 0; day <= horizonDays',
  },
  {
    file: `${rules}/match/schedule.ts`,
    name: 'a stretch that began last week is forgotten',
    find: 'let before = zone.momentOf(today - dayMs)',
    replace: 'let before = -Infinity',
  },
  {
    file: `${rules}/match/schedule.ts`,
    name: 'a stretch over midnight ends before it begins',
    find: 'to <= from ? dayMs : 0',
    replace: '0',
  },
  {
    file: `${rules}/compile/limits/keys.ts`,
    name: 'a secret stands in the key',
    find: "field.secret ? createHash('sha256').update(text).digest('base64url') : text",
    replace: 'text',
  },
  {
    file: `${rules}/compile/limits/keys.ts`,
    name: 'requests without an optional part of the key share a count',
    find: 'if (!addPart(rule, fields, context, key)) return undefined',
    replace: 'addPart(rule, fields, context, key)',
  },
  {
    file: `${rules}/compile/limits/keys.ts`,
    name: 'values of two fields are one key',
    find: 'value === undefined ? undefined : [field.name, partOf(field, value, context)]',
    replace: 'value === undefined ? undefined : [partOf(field, value, context)]',
  },
  {
    file: `${rules}/compile/limits/variants.ts`,
    name: 'an override of one plan is that of all plans',
    find: 'const key = `${choice} ${override.key}`',
    replace: 'const key = override.key',
  },
  {
    file: `${rules}/compile/limits/override-table.ts`,
    name: 'the shortest prefix of the overrides counts',
    find: '.toSorted((a, b) => b - a)',
    replace: '.toSorted((a, b) => a - b)',
  },
  {
    file: `${rules}/compile/compile-rules.ts`,
    name: 'a shadow rule is searched for among the enforced ones',
    find: '!rule.shadow',
    replace: 'true',
  },
  {
    file: `${rules}/compile/walk.ts`,
    name: 'a shadow rule below an exemption applies',
    find: '    if (rule.number > last) break\n',
    replace: '',
  },
  {
    file: `${rules}/compile/explain.ts`,
    name: 'an explanation shows secrets',
    find: 'mismatch.secret && !show ? ',
    replace: 'mismatch.secret && show ? ',
  },
  {
    file: `${rules}/check/check-rules.ts`,
    name: 'a test that fails is no finding',
    find: 'if (problem === undefined) continue',
    replace: 'if (problem !== null) continue',
  },
  {
    file: `${rules}/check/value-from-text.ts`,
    name: 'a text of a list of numbers stays a text',
    find: 'oneOf.find((one) => `${one}` === text)',
    replace: 'oneOf.find((one) => one === text)',
  },
  {
    file: `${rules}/loading/sources/read-rules-file.ts`,
    name: 'a file that cannot be read is left out',
    find: 'if (error instanceof RulesError && isMissing(error.cause)) return undefined',
    replace: 'if (error instanceof RulesError) return undefined',
  },
  {
    file: `${rules}/loading/limiter/peeked-counts.ts`,
    name: 'counts of a fallback are taken for those of the store',
    find: "source: elsewhere?.source ?? 'store'",
    replace: "source: 'store'",
  },
]
