const check = 'packages/rules/src/check'
const compile = 'packages/rules/src/compile'

export const area = 'rules-check'

export const tests = [
  'packages/rules/test/warnings packages/rules/test/inclusion packages/rules/test/check-rules packages/rules/test/continued packages/rules/test/moved packages/rules/test/explain packages/rules/test/value-from-text',
  'packages/rules/test',
]

export const mutants = [
  {
    file: `${compile}/inclusion.ts`,
    name: 'nested conditions of a rule above are ignored',
    find: "if (any !== undefined || all !== undefined || not !== undefined) return 'unknown'",
    replace: "if (any !== undefined || all !== undefined) return 'unknown'",
  },
  {
    file: `${compile}/inclusion.ts`,
    name: 'an exemption of a path covers other spellings of it',
    find: "name === 'path' || name === 'host' || isRepeatable(name)",
    replace: "name === 'host' || isRepeatable(name)",
  },
  {
    file: `${compile}/inclusion.ts`,
    name: 'an exemption of a host covers other spellings of it',
    find: "name === 'path' || name === 'host' || isRepeatable(name)",
    replace: "name === 'path' || isRepeatable(name)",
  },
  {
    file: `${compile}/inclusion.ts`,
    name: 'an exemption by a cookie covers requests with several values of it',
    find: '/^(?:query|cookie)\\./.test(field)',
    replace: '/^query\\./.test(field)',
  },
  {
    file: `${compile}/inclusion.ts`,
    name: 'a condition covers requests without it',
    find: "return hasNested(innerRule) ? 'unknown' : 'no'",
    replace: "return hasNested(innerRule) ? 'unknown' : 'yes'",
  },
  {
    file: `${compile}/inclusion.ts`,
    name: 'an exemption of GET covers HEAD',
    find: "if (innerValues.some(isGet) && !outerValues.some(isHead)) return 'no'",
    replace: "if (innerValues.some(isHead) && !outerValues.some(isHead)) return 'no'",
  },
  {
    file: `${compile}/inclusion.ts`,
    name: 'a range covers another one that begins in it',
    find: 'outer.first <= inner.first && inner.last <= outer.last',
    replace: 'outer.first <= inner.first',
  },
  {
    file: `${compile}/inclusion.ts`,
    name: 'hosts in other letter case differ',
    find: "name === 'method' || name === 'host' ?",
    replace: "name === 'method' ?",
  },
  {
    file: `${compile}/warnings.ts`,
    name: 'a rule with an optional key is a floor',
    find: "(rule.action.role === 'enforced' && optionalKeyOf(rule).length === 0)",
    replace: "rule.action.role === 'enforced'",
  },
  {
    file: `${compile}/warnings.ts`,
    name: 'a rule below one with its count and an optional key is unreachable',
    find: 'return isSameKey || optionalKeyOf({ action, ...rule }).length === 0',
    replace: 'return true',
  },
  {
    file: `${compile}/warnings.ts`,
    name: 'a rule whose count another one counts first is no warning',
    find: 'counted !== undefined && before === undefined',
    replace: 'counted !== undefined && before !== undefined',
  },
  {
    file: `${compile}/warnings.ts`,
    name: 'a rule that tags is a floor',
    find: "rule.action.role === 'enforced' &&",
    replace: "rule.action.role !== 'shadow' &&",
  },
  {
    file: `${compile}/warnings.ts`,
    name: 'a rule behind a shadow exemption is unreachable',
    find: "if (!shadow && (action.type === 'allow'",
    replace: "if ((shadow || !shadow) && (action.type === 'allow'",
  },
  {
    file: `${compile}/warnings.ts`,
    name: 'a value that the rule requires is missing in its key',
    find: 'declaration.when?.[name] === undefined ? name : []',
    replace: 'declaration.when === undefined ? name : []',
  },
  {
    file: `${compile}/warnings.ts`,
    name: 'a pattern within "any" is no pattern',
    find: 'isPathPattern(path) || [...any, ...all].some(hasPathPattern)',
    replace: 'isPathPattern(path) || all.some(hasPathPattern)',
  },
  {
    file: `${compile}/warnings.ts`,
    name: 'an escaped star is a pattern',
    find: "/[:*]/.test(pattern.replace(/\\\\./g, ''))",
    replace: '/[:*]/.test(pattern)',
  },
  {
    file: `${compile}/warnings.ts`,
    name: 'a suffix is called a part',
    find: "start === '' ? (end === '' ? 'contains' : 'suffix') : 'prefix'",
    replace: "start === '' ? 'contains' : 'prefix'",
  },
  {
    file: `${check}/continued-counts.ts`,
    name: 'each policy of a kind continues the count',
    find: ": formOf(resolvePolicy(policy, 'a rule'))",
    replace: ': policy.kind',
  },
  {
    file: `${check}/continued-counts.ts`,
    name: 'a rule with another key continues',
    find: 'users.find(({ key }) => keyText(key) === keyText(action.key))',
    replace: 'users.at(0)',
  },
  {
    file: `${check}/continued-counts.ts`,
    name: 'a rule with another count continues',
    find: 'return isReplaced || users.length > 0',
    replace: 'return users.length > 0',
  },
  {
    file: `${check}/continued-counts.ts`,
    name: 'a rule that joins a count begins it again',
    find: '[earlier, ...old].flatMap',
    replace: '[earlier].flatMap',
  },
  {
    file: `${check}/continued-counts.ts`,
    name: 'the algorithms of plans can be exchanged',
    find: 'forms.get(reason) ?? ',
    replace: '',
  },
  {
    file: `${check}/continued-counts.ts`,
    name: 'overrides have the algorithm of their rule',
    find: "if (typeof limit === 'object') forms.set",
    replace: "if (typeof limit === 'function') forms.set",
  },
  {
    file: `${check}/compare.ts`,
    name: 'a rule with a new id is another rule',
    find: 'before.get(rule.id) ?? renamed(rule, removed)',
    replace: 'before.get(rule.id)',
  },
  {
    file: 'packages/rules/src/moved-items.ts',
    name: 'all rules after one that moved have moved',
    find: 'ends[length] = {',
    replace: 'if (length === ends.length) ends[length] = {',
  },
  {
    file: `${check}/compare.ts`,
    name: 'an override that changed is not told',
    find: 'else if (old.get(key) !== value) counts.changed++',
    replace: 'else if (old.get(key) === undefined) counts.changed++',
  },
  {
    file: `${check}/compare.ts`,
    name: 'overrides of the document count as those of its file',
    find: 'if (!Object.hasOwn(entries, value)) found.set(value, key)',
    replace: 'found.set(value, key)',
  },
  {
    file: `${check}/compare.ts`,
    name: 'letter case is no setting',
    find: "['zone', 'caseSensitive'] as const",
    replace: "['zone'] as const",
  },
  {
    file: `${check}/run-tests.ts`,
    name: 'a test of limits passes although a rule refuses',
    find: "expected[what] === undefined && !(what === 'refuses' && expected.applies !== undefined)",
    replace: 'expected[what] === undefined',
  },
  {
    file: `${check}/run-tests.ts`,
    name: 'a refusal counts as an exemption',
    find: "allows: type === 'refuse' ? undefined : endedBy",
    replace: 'allows: endedBy',
  },
  {
    file: `${check}/run-tests.ts`,
    name: 'shadow rules come last in a test',
    find: '.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))',
    replace: '',
  },
  {
    file: `${check}/run-tests.ts`,
    name: 'a name that no rule reads is ignored',
    find: 'if (name !== undefined) {',
    replace: 'if (name === null) {',
  },
  {
    file: `${check}/run-tests.ts`,
    name: 'the letter case of the headers of a test matters',
    find: '[name.toLowerCase(), name]',
    replace: '[name, name]',
  },
  {
    file: `${check}/run-tests.ts`,
    name: 'a time that cannot be read is now',
    find: 'if (Number.isNaN(time)) {',
    replace: 'if (time === null) {',
  },
  {
    file: `${check}/check-rules.ts`,
    name: 'a document that a server would refuse is a warning',
    find: "return [{ severity: 'error', ...endOf(text.text)",
    replace: "return [{ severity: 'warning', ...endOf(text.text)",
  },
  {
    file: `${check}/check-rules.ts`,
    name: 'findings of a file are mixed with those of the document',
    find: "fileOf(a).localeCompare(fileOf(b), 'en') || ",
    replace: '',
  },
  {
    file: `${check}/value-from-text.ts`,
    name: 'an empty text is a value',
    find: "if (text === '') return undefined",
    replace: "if (text === ' ') return undefined",
  },
  {
    file: `${check}/value-from-text.ts`,
    name: 'a fraction is a whole number',
    find: 'return Number.isSafeInteger(number) ? number : undefined',
    replace: 'return number',
  },
]
