const simulate = 'packages/cli/src/simulate'

export const area = 'simulate-report'

export const tests = [
  'packages/cli/test/simulate/report packages/cli/test/simulate/outputs packages/cli/test/simulate/rule-keys packages/cli/test/simulate/command packages/cli/test/simulate/suggest',
]

export const mutants = [
  {
    file: `${simulate}/simulate.ts`,
    name: 'suggestions are made from another sample',
    find: 'suggestedBy(sources, options, sample, suggest)',
    replace: 'suggestedBy(sources, options, createSample(share), suggest)',
  },
  {
    file: `${simulate}/simulate.ts`,
    name: 'suggested limits are not marked',
    find: ', suggested: true',
    replace: '',
  },
  {
    file: `${simulate}/report/build.ts`,
    name: 'policies beside the default are not reported',
    find: ' && Object.keys(others).length === 0',
    replace: '',
  },
  {
    file: `${simulate}/rules/simulation.ts`,
    name: 'refused requests are not asked',
    find: 'asked: asked + refused',
    replace: 'asked',
  },
  {
    file: `${simulate}/rules/simulation.ts`,
    name: 'refused requests are not denied',
    find: 'denied: denied + refused',
    replace: 'denied',
  },
  {
    file: `${simulate}/report/build.ts`,
    name: 'the list of keys has no end',
    find: '    .slice(0, top)\n',
    replace: '',
  },
  {
    file: `${simulate}/report/build.ts`,
    name: 'the worst five minutes are in 1970',
    find: "worst.share === 0 ? '' : isoOf",
    replace: "worst.share === -1 ? '' : isoOf",
  },
  {
    file: `${simulate}/report/build.ts`,
    name: 'the requests of an interval are all of the log',
    find: 'asked: askedSeries[interval]',
    replace: 'asked: tally.asked',
  },
  {
    file: `${simulate}/report/csv.ts`,
    name: 'a cell can begin with a minus',
    find: '/^[=+\\-@\\t\\r]/',
    replace: '/^[=+@\\t\\r]/',
  },
  {
    file: `${simulate}/report/csv.ts`,
    name: 'quotes are not doubled',
    find: "text.replaceAll('\"', '\"\"')",
    replace: 'text',
  },
  {
    file: `${simulate}/report/anonymize.ts`,
    name: 'paths are kept',
    find: ", mostlyAt: ''",
    replace: '',
  },
  {
    file: `${simulate}/report/anonymize.ts`,
    name: 'user agents are kept',
    find: '({ agent: _agent, ...key }) =>',
    replace: '(key) =>',
  },
  {
    file: `${simulate}/report/anonymize.ts`,
    name: 'the key of the streak is kept',
    find: 'key: hashed(variant.streak.key)',
    replace: 'key: variant.streak.key',
  },
  {
    file: `${simulate}/report/anonymize.ts`,
    name: 'newly allowed keys are kept',
    find: 'newlyAllowed: top(compared.newlyAllowed)',
    replace: 'newlyAllowed: compared.newlyAllowed',
  },
  {
    file: `${simulate}/report/anonymize.ts`,
    name: 'errors are kept',
    find: ".map((note) => note.replace(/; the first error: .*$/s, '.'))",
    replace: '',
  },
  {
    file: `${simulate}/report/html.ts`,
    name: 'a log can close the element of the data',
    find: ".replaceAll('<', String.raw`\\u003c`)",
    replace: '',
  },
  {
    file: `${simulate}/report/notes.ts`,
    name: 'the note on durations is about arrivals',
    find: "log.time === 'end'",
    replace: "log.time === 'arrival'",
  },
  {
    file: `${simulate}/report/notes.ts`,
    name: 'the share of the sample is no percentage',
    find: 'Math.round(log.sampled * 1000) / 10',
    replace: 'Math.round(log.sampled * 1000) / 1000',
  },
  {
    file: `${simulate}/report/notes.ts`,
    name: 'evictions are not noted',
    find: 'replay.store.evicted > 0',
    replace: 'replay.store.evicted > Infinity',
  },
  {
    file: `${simulate}/report/table.ts`,
    name: 'rare paths are named',
    find: 'if (share < 0.1)',
    replace: 'if (share < 0.01)',
  },
  {
    file: `${simulate}/report/table.ts`,
    name: 'the worst share is that of all requests',
    find: 'percent(worst.share)',
    replace: 'percent(asked === 0 ? 0 : denied / asked)',
  },
  {
    file: `${simulate}/report/table.ts`,
    name: 'the number of keys is that of denied keys',
    find: '({ keys }) => keys)',
    replace: '({ keysDenied }) => keysDenied)',
  },
  {
    file: `${simulate}/report/table.ts`,
    name: 'thousands are not separated',
    find: ".replace(/\\B(?=(?:\\d{3})+$)/g, ' ')",
    replace: '',
  },
  {
    file: `${simulate}/report/table.ts`,
    name: 'late lines are not reported',
    find: 'if (log.late > 0)',
    replace: 'if (log.late < 0)',
  },
  {
    file: `${simulate}/report/table.ts`,
    name: 'newly allowed keys are those newly denied',
    find: 'keyRows(compared.newlyAllowed',
    replace: 'keyRows(compared.newlyDenied',
  },
]
