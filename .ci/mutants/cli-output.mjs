const cli = 'packages/cli/src'

export const area = 'cli-output'

export const tests = [
  'packages/cli/test/check packages/cli/test/output packages/cli/test/duration packages/cli/test/policy packages/cli/test/explain-text',
  'packages/cli/test/explain packages/cli/test/against',
  'packages/cli/test',
]

export const mutants = [
  {
    file: `${cli}/output/check-text.ts`,
    name: 'findings of a whole file have a line',
    find: 'line === 0 ? visible(file) : ',
    replace: '',
  },
  {
    file: `${cli}/output/check-text.ts`,
    name: 'hints are not printed',
    find: 'hint === undefined ? message',
    replace: 'hint !== message ? message',
  },
  {
    file: `${cli}/output/check-text.ts`,
    name: 'failed tests pass',
    find: 'tests.filter((test) => test.passed)',
    replace: 'tests.filter((test) => !test.passed)',
  },
  {
    file: `${cli}/output/check-text.ts`,
    name: 'one is several',
    find: "count === 1 ? '' : 's'",
    replace: "count === 0 ? '' : 's'",
  },
  {
    file: `${cli}/output/check-text.ts`,
    name: 'the standard input is named - in a comparison',
    find: "against === '-' ? 'stdin' : against",
    replace: 'against',
  },
  {
    file: `${cli}/output/check-text.ts`,
    name: 'removed rules are not listed',
    find: '    ...removed.map((rule) => `removed  ${visible(rule)}`),\n',
    replace: '',
  },
  {
    file: `${cli}/output/check-text.ts`,
    name: 'a check does not list rules that moved',
    find: '    ...moved.map(',
    replace: '    ...moved.slice(moved.length).map(',
  },
  {
    file: `${cli}/output/check-github.ts`,
    name: 'GitHub does not hear of counts that start again',
    find: '    ...notices(document),\n',
    replace: '',
  },
  {
    file: `${cli}/output/check-github.ts`,
    name: 'annotations of a whole file are on line 0',
    find: 'line === 0 ? [] : ',
    replace: '',
  },
  {
    file: `${cli}/commands/check.ts`,
    name: 'the number of rules is missing',
    find: '    rules: rules?.document.rules.length,\n',
    replace: '',
  },
  {
    file: `${cli}/text/duration.ts`,
    name: 'a wait is rounded down',
    find: '`${Math.ceil(ms)}ms`',
    replace: '`${Math.floor(ms)}ms`',
  },
  {
    file: `${cli}/text/duration.ts`,
    name: 'the smaller unit is always named',
    find: 'more === 0 ? `${whole}${unit}` : ',
    replace: '',
  },
  {
    file: `${cli}/text/duration.ts`,
    name: 'seconds are whole',
    find: 'Math.round(ms / 100) / 10',
    replace: 'Math.round(ms / 1000)',
  },
  {
    file: `${cli}/text/duration.ts`,
    name: 'windows are rounded',
    find: 'ms >= length && ms % length === 0',
    replace: 'ms >= length',
  },
  {
    file: `${cli}/output/explain-text.ts`,
    name: 'a single limit is named',
    find: 'names.length > 1',
    replace: 'names.length > 0',
  },
  {
    file: `${cli}/output/explain-text.ts`,
    name: 'the cost of 1 is printed',
    find: 'cost === 1 || cost === undefined',
    replace: 'cost === undefined',
  },
  {
    file: `${cli}/output/explain-text.ts`,
    name: 'a rule that tags denies',
    find: "    if (outcome.type === 'tag') continue\n",
    replace: '',
  },
  {
    file: `${cli}/output/explain-text.ts`,
    name: 'the shortest delay is enough',
    find: 'wait = Math.max(wait, retryAfterMs)',
    replace: 'wait = wait === 0 ? retryAfterMs : Math.min(wait, retryAfterMs)',
  },
  {
    file: `${cli}/output/explain-text.ts`,
    name: 'a delay at its bound denies',
    find: 'return wait <= longest ?',
    replace: 'return wait < longest ?',
  },
  {
    file: `${cli}/output/explain-text.ts`,
    name: 'a request that never fits fits again',
    find: "retryAfterMs === null ? 'never again' : ",
    replace: '',
  },
  {
    file: `${cli}/output/explain-text.ts`,
    name: 'shadow rules are not asked',
    find: 'rules.length - asked.length - shadow.length',
    replace: 'rules.length - asked.length',
  },
  {
    file: `${cli}/commands/explain.ts`,
    name: 'the delay is missing',
    find: '      delayMs: standing.decision.delayMs,\n',
    replace: '',
  },
  {
    file: `${cli}/text/policy.ts`,
    name: 'defaults are printed',
    find: '    .filter(([name, value]) => rebuilt(policy, name, undefined) !== value)\n',
    replace: '',
  },
  {
    file: `${cli}/text/policy.ts`,
    name: 'every number is a duration',
    find: "typeof value === 'number' && rebuilt(policy, name, `${value}ms`) === value",
    replace: "typeof value === 'number'",
  },
  {
    file: `${cli}/text/policy.ts`,
    name: 'the durations of a block are in milliseconds',
    find: 'isDuration: ofBlock.has(inner)',
    replace: 'isDuration: false',
  },
  {
    file: `${cli}/output/style.ts`,
    name: 'a dumb terminal gets colors',
    find: " && TERM !== 'dumb'",
    replace: '',
  },
  {
    file: `${cli}/text/visible.ts`,
    name: 'escapes in JSON are short',
    find: ".padStart(4, '0')",
    replace: '',
  },
]
