const cli = 'packages/cli/src'

export const area = 'simulate-command'

export const tests = [
  'packages/cli/test/simulate/exit-codes packages/cli/test/simulate/command packages/cli/test/simulate/options packages/cli/test/simulate/progress packages/cli/test/simulate/variants',
]

export const mutants = [
  {
    file: `${cli}/commands/simulate.ts`,
    name: 'newly denied requests at the bound fail',
    find: 'compared.requestsNewlyDenied > failOver',
    replace: 'compared.requestsNewlyDenied >= failOver',
  },
  {
    file: `${cli}/commands/simulate.ts`,
    name: 'denied requests at the bound fail',
    find: 'denied > failOver * asked',
    replace: 'denied >= failOver * asked',
  },
  {
    file: `${cli}/commands/simulate.ts`,
    name: 'denied keys at the bound fail',
    find: 'keysDenied > failKeys,',
    replace: 'keysDenied >= failKeys,',
  },
  {
    file: `${cli}/commands/simulate.ts`,
    name: 'newly denied keys are not bounded',
    find: 'compared.keysNewlyDenied > failKeys',
    replace: 'compared.keysNewlyDenied > Infinity',
  },
  {
    file: `${cli}/commands/simulate.ts`,
    name: 'without a bound, requests that were not judged fail',
    find: 'unjudged > 0 && (failOver < 1 || failKeys < Infinity)',
    replace: 'unjudged > 0',
  },
  {
    file: `${cli}/commands/simulate.ts`,
    name: 'a truncated log wins over too many denials',
    find: 'isOver || isUnsure ? 3 : log.truncated ? 4 : 0',
    replace: 'log.truncated ? 4 : isOver || isUnsure ? 3 : 0',
  },
  {
    file: `${cli}/commands/simulate.ts`,
    name: 'the baseline is the last document',
    find: '[baseline, ...rules]',
    replace: '[...rules, baseline]',
  },
  {
    file: `${cli}/commands/simulate.ts`,
    name: 'the CSV file is as short as the lists',
    find: 'options.csv === undefined ? options.top : Infinity',
    replace: 'options.top',
  },
  {
    file: `${cli}/commands/simulate.ts`,
    name: 'the other lists are as long as the CSV file',
    find: 'keys.slice(0, top)',
    replace: 'keys',
  },
  {
    file: `${cli}/commands/simulate.ts`,
    name: 'keys are shown despite --anonymize',
    find: 'options.anonymize === true ? anonymized(report) : report',
    replace: 'report',
  },
  {
    file: `${cli}/commands/simulate.ts`,
    name: 'progress is written to pipes',
    find: 'stderr.isTTY === true && options',
    replace: 'options',
  },
  {
    file: `${cli}/commands/simulate.ts`,
    name: '--quiet is not heard',
    find: ' && options.quiet !== true',
    replace: '',
  },
  {
    file: `${cli}/simulate/progress.ts`,
    name: 'progress is written for each part',
    find: '      if (time - shownAt < intervalMs) return\n',
    replace: '',
  },
  {
    file: `${cli}/simulate/progress.ts`,
    name: 'the time left is the time passed',
    find: '(seconds * (1 - share)) / share',
    replace: 'seconds * (1 - share)',
  },
  {
    file: `${cli}/simulate/progress.ts`,
    name: 'a longer line is left behind',
    find: 'text.padEnd(width)',
    replace: 'text',
  },
  {
    file: `${cli}/simulate/variants.ts`,
    name: 'an underscore ends a number',
    find: "limit.replaceAll('_', '')",
    replace: 'limit',
  },
  {
    file: `${cli}/simulate/variants.ts`,
    name: 'policies are not checked',
    find: '    checkedPolicy(policy, `--policy ${text}`)\n',
    replace: '',
  },
  {
    file: `${cli}/simulate/variants.ts`,
    name: 'durations are in milliseconds',
    find: "isDuration && typeof value === 'number' ? windowText(value) : ",
    replace: '',
  },
  {
    file: `${cli}/reading/option-values.ts`,
    name: '100 % is no share',
    find: 'share >= 0 && share <= 1',
    replace: 'share >= 0 && share < 1',
  },
  {
    file: `${cli}/reading/option-values.ts`,
    name: 'seconds are milliseconds',
    find: 'Number(match[1]) * 1000',
    replace: 'Number(match[1])',
  },
  {
    file: `${cli}/reading/option-values.ts`,
    name: 'only the last of several values counts',
    find: '[...previous, value]',
    replace: '[value]',
  },
  {
    file: `${cli}/reading/option-values.ts`,
    name: 'a count may have a fraction',
    find: '/^\\d{1,15}$/',
    replace: '/^[\\d.]{1,15}$/',
  },
  {
    file: `${cli}/reading/simulate-options.ts`,
    name: 'lines may be out of order by a minute of milliseconds',
    find: ".default(60_000, '60')",
    replace: ".default(60, '60')",
  },
]
