const limits = 'packages/rules/src/compile/limits'
const overrides = 'packages/rules/src/compile/limits/overrides.ts'

export const area = 'rules-limits'

export const tests = [
  'packages/rules/test/overrides packages/rules/test/variants packages/rules/test/walk packages/rules/test/values packages/rules/test/single-values',
  'packages/rules/test/findings packages/rules/test/warnings packages/rules/test/koala packages/rules/test/explain packages/rules/test/loading/limiter',
]

export const mutants = [
  {
    file: `${limits}/keys.ts`,
    name: 'each address of a network has a count',
    find: "if (typeof value === 'string') return ipKey(value)",
    replace: "if (typeof value === 'string') return `ip:${value}`",
  },
  {
    file: `${limits}/keys.ts`,
    name: 'only the first alternative of a key is read',
    find: '  for (const field of fields) {\n    if (field.type',
    replace: '  for (const field of fields.slice(0, 1)) {\n    if (field.type',
  },
  {
    file: `${limits}/keys.ts`,
    name: 'the number 5 and the text "5" are one key',
    find: "if (typeof value === 'number' && Number.isSafeInteger(value)) return value",
    replace: 'if (value === null) return value',
  },
  {
    file: `${limits}/single-value.ts`,
    name: 'a client chooses the key among its own values',
    find: 'if (counted !== undefined) return counted',
    replace: "if (typeof value === 'object') return value[0]",
  },
  {
    file: `${limits}/cost.ts`,
    name: 'a cost of 0 is an error',
    find: 'cost >= 0',
    replace: 'cost > 0',
  },
  {
    file: `${limits}/cost.ts`,
    name: 'a text is a cost in a document',
    find: "field.type !== 'integer' && field.type !== 'number'",
    replace: "field.type !== 'integer' && field.type === 'boolean'",
  },
  {
    file: 'packages/rules/src/compile/rule.ts',
    name: 'a delay of nothing is a delay',
    find: 'maxMs !== undefined && maxMs > 0',
    replace: 'maxMs !== undefined && maxMs >= 0',
  },
  {
    file: 'packages/rules/src/compile/rule.ts',
    name: 'a refusal with a body is a 429',
    find: "if ('deny' in then) return denial(then.deny, 403)",
    replace: "if ('deny' in then) return denial(then.deny, 429)",
  },
  {
    file: `${limits}/policies.ts`,
    name: 'a rule without a policy in "policies" has a limit',
    find: 'policies !== undefined && Object.keys(policies).length > 0',
    replace: 'policies !== undefined',
  },
  {
    file: `${limits}/override-table.ts`,
    name: 'an override applies to one notation of an address',
    find: "(type === 'address' ? addressText(text) : spell?.(text)) ?? text",
    replace: 'spell?.(text) ?? text',
  },
  {
    file: `${limits}/override-table.ts`,
    name: 'a range has an override, which never applies',
    find: "if (type === 'address' && !isAddress) {",
    replace: "if (type === 'address' && value === '') {",
  },
  {
    file: `${limits}/override-table.ts`,
    name: 'the application is asked for the notation of a client',
    find: 'ask?.(context, text)',
    replace: 'ask?.(context, String(value))',
  },
  {
    file: `${limits}/policies.ts`,
    name: 'short durations of a block are no warning',
    find: 'hasWarned = warnOfShort(value, path, findings) || hasWarned',
    replace: 'hasWarned ||= false',
  },
  {
    file: 'packages/rules/src/compile/rule.ts',
    name: 'a short delay is no warning',
    find: 'if (isShort(over.delay)) {',
    replace: 'if (isShort(undefined)) {',
  },
  {
    file: `${limits}/override-table.ts`,
    name: 'a comment begins within quotes',
    find: 'linesOf(text, true)',
    replace: 'linesOf(text)',
  },
  {
    file: `${limits}/override-table.ts`,
    name: 'a star within a value is a plain one',
    find: 'if (star !== -1 && star !== value.length - 1) {',
    replace: 'if (star === value.length) {',
  },
  {
    file: `${limits}/override-table.ts`,
    name: 'a prefix counts for values that have an override of their own',
    find: 'if (exact !== undefined) return exact',
    replace: 'if (exact !== undefined && this.#lengths.length === 0) return exact',
  },
  {
    file: `${limits}/override-table.ts`,
    name: 'a prefix does not fit itself',
    find: 'length <= value.length',
    replace: 'length < value.length',
  },
  {
    file: `${limits}/override-table.ts`,
    name: 'the document wins over the function of the application',
    find: 'return ask?.(context, text) ?? table.get(text)',
    replace: 'return table.get(text) ?? ask?.(context, text)',
  },
  {
    file: `${limits}/override-table.ts`,
    name: 'a number replaces two policies by one',
    find: 'if (count > 1) {',
    replace: 'if (count > 2) {',
  },
  {
    file: `${limits}/override-table.ts`,
    name: 'the window of an override is ignored where there is none',
    find: "if (window !== undefined && !('window' in declaration)) {",
    replace: "if (window === '' && !('window' in declaration)) {",
  },
  {
    file: `${limits}/override-table.ts`,
    name: 'quotes in a file of overrides stay doubled',
    find: `quoted.replaceAll('""', '"')`,
    replace: 'quoted',
  },
  {
    file: `${limits}/override-table.ts`,
    name: 'a value may have two overrides in a file',
    find: 'problem ??= table.add(override)',
    replace: 'if (problem === undefined) table.add(override)',
  },
  {
    file: overrides,
    name: 'an answer is cached for a moment too long',
    find: 'context.now < cached.until',
    replace: 'context.now <= cached.until',
  },
  {
    file: overrides,
    name: 'long values share an override',
    find: "createHash('sha256').update(value).digest('base64url')",
    replace: 'value.slice(0, 64)',
  },
  {
    file: overrides,
    name: 'each request asks, although an answer is under way',
    find: 'underWay.get(key) ?? askFor(',
    replace: 'askFor(',
  },
  {
    file: overrides,
    name: 'an error is the answer for ever',
    find: '\n      .finally(() => underWay.delete(key))',
    replace: '',
  },
  {
    file: overrides,
    name: 'a negative limit is an override',
    find: 'Number.isSafeInteger(limit) && limit >= 0',
    replace: 'Number.isSafeInteger(limit)',
  },
  {
    file: overrides,
    name: 'a late answer is not told',
    find: "      events.publish({ state: 'override-late', rule, limitMs: longestMs })\n",
    replace: '',
  },
  {
    file: `${limits}/slots.ts`,
    name: 'of two active schedules the last counts',
    find: 'schedules.findIndex(',
    replace: 'schedules.findLastIndex(',
  },
  {
    file: `${limits}/slots.ts`,
    name: 'a value that may be absent needs no "else"',
    find: 'possible !== undefined && field.required && missing.length === 0',
    replace: 'possible !== undefined && missing.length === 0',
  },
  {
    file: `${limits}/slots.ts`,
    name: 'a limit for a plan that does not exist is no mistake',
    find: 'if (strange !== undefined && possible !== undefined) {',
    replace: 'if (strange !== undefined && possible !== undefined && values.length > 9) {',
  },
  {
    file: `${limits}/variants.ts`,
    name: 'an override replaces the policy of the first alternative',
    find: 'const choice = slot.choose(context)',
    replace: 'const choice = slot.choose(context) * 0',
  },
  {
    file: `${limits}/variants.ts`,
    name: 'the kinds of later alternatives are not compared',
    find: 'forEach((_, i) => ownVariant([i]))',
    replace: 'slice(0, 1).forEach((_, i) => ownVariant([i]))',
  },
  {
    file: `${limits}/variants.ts`,
    name: 'a name of 65 characters is not too long',
    find: 'if (name.length > longestName) {',
    replace: 'if (name.length > longestName + 1) {',
  },
  {
    file: `${limits}/policies.ts`,
    name: 'the zone of the document wins over that of a policy',
    find: 'return { timeZone: zone, ...declaration }',
    replace: 'return { ...declaration, timeZone: zone }',
  },
  {
    file: `${limits}/policies.ts`,
    name: 'the second stage has no zone',
    find: '    ...(isPolicyDeclaration(then) ? { then: inZone(then, zone) } : {}),\n',
    replace: '',
  },
  {
    file: `${limits}/policies.ts`,
    name: 'a window of one second is warned about',
    find: 'value > 0 && value < 1000',
    replace: 'value > 0 && value <= 1000',
  },
  {
    file: `${limits}/policies.ts`,
    name: 'a probable mistake is told for one of several rules',
    find: 'if (isUsual) policies.set(key, policy)',
    replace: 'policies.set(key, policy)',
  },
  {
    file: `${limits}/policies.ts`,
    name: 'a window without a limit is ignored',
    find: 'for (const [name, value] of Object.entries({ window, algorithm })) {',
    replace: 'for (const [name, value] of Object.entries({ algorithm })) {',
  },
]
