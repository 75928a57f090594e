const simulate = 'packages/cli/src/simulate'

export const area = 'simulate-rules'

export const tests = [
  'packages/cli/test/simulate/rule packages/cli/test/simulate/comparison packages/cli/test/simulate/needed packages/cli/test/simulate/csv packages/cli/test/simulate/leases',
]

export const mutants = [
  {
    file: `${simulate}/rules/replay-rules.ts`,
    name: 'policies of rules are not checked',
    find: 'judgement.enforced.forEach(checkOnce)',
    replace: '',
  },
  {
    file: `${simulate}/rules/replay-rules.ts`,
    name: 'delayed requests are not counted',
    find: "=== 'delay') delayed++",
    replace: "=== 'deny') delayed++",
  },
  {
    file: `${simulate}/rules/replay-rules.ts`,
    name: 'a response is settled before it is sent',
    find: 'ends.push(record.at + (record.durationMs ?? 0)',
    replace: 'ends.push(record.at',
  },
  {
    file: `${simulate}/rules/comparison.ts`,
    name: 'what both deny is newly denied',
    find: 'before === undefined && after !== undefined',
    replace: 'after !== undefined',
  },
  {
    file: `${simulate}/rules/needed-fields.ts`,
    name: 'headers are not looked for',
    find: "      case 'header':\n",
    replace: '',
  },
  {
    file: `${simulate}/rules/replay-rules.ts`,
    name: 'a response ends after its last millisecond',
    find: 'ends.least <= now',
    replace: 'ends.least < now',
  },
  {
    file: `${simulate}/rules/replay-rules.ts`,
    name: 'server errors are client errors',
    find: 'record.status < 400',
    replace: 'record.status < 500',
  },
  {
    file: `${simulate}/rules/replay-rules.ts`,
    name: 'no success resets',
    find: '      if (reset !== undefined) limiter.reset(reset, { policies: consumption.policies })\n',
    replace: '',
  },
  {
    file: `${simulate}/rules/replay-rules.ts`,
    name: 'no response is refunded',
    find: '      if (refunded.length > 0) limiter.refund(decision, { policies: refunded })\n',
    replace: '',
  },
  {
    file: `${simulate}/rules/replay-rules.ts`,
    name: 'rules see all addresses',
    find: '    if (sample.share < 1 && !sample.has(sampledKey(record))) return undefined\n',
    replace: '',
  },
  {
    file: `${simulate}/rules/replay-rules.ts`,
    name: 'the last error is the first',
    find: 'errors.first ??=',
    replace: 'errors.first =',
  },
  {
    file: `${simulate}/rules/replay-rules.ts`,
    name: 'a denied request counts twice for its key',
    find: 'numbers.get(key) ?? {',
    replace: '{',
  },
  {
    file: `${simulate}/rules/comparison.ts`,
    name: 'newly denied keys have the requests of the baseline',
    find: 'topKeys(this.#denied, this.#variant.keys, top)',
    replace: 'topKeys(this.#denied, this.#baseline.keys, top)',
  },
  {
    file: `${simulate}/rules/comparison.ts`,
    name: 'a newly denied key is an address',
    find: 'tally.deny(record, key, number',
    replace: 'tally.deny(record, record.ip ?? key, number',
  },
  {
    file: `${simulate}/rules/comparison.ts`,
    name: 'only newly denied requests are compared',
    find: 'asked: this.#variant.tally.asked',
    replace: 'asked: this.#denied.asked',
  },
  {
    file: `${simulate}/rules/comparison.ts`,
    name: 'newly allowed keys are those newly denied',
    find: 'keysNewlyAllowed: this.#allowed',
    replace: 'keysNewlyAllowed: this.#denied',
  },
  {
    file: `${simulate}/rules/rule-keys.ts`,
    name: 'the key is that of the first rule',
    find: 'if (rule === id) return textOf(rule, keys, name)',
    replace: 'return textOf(id, keys, name)',
  },
  {
    file: `${simulate}/rules/rule-keys.ts`,
    name: 'addresses have a prefix',
    find: "text.startsWith('ip:') ? text.slice('ip:'.length) : text",
    replace: 'text',
  },
  {
    file: `${simulate}/rules/rule-keys.ts`,
    name: 'the parts of a key are those of all rules',
    find: 'isRecord(keys) && Object.hasOwn(keys, name) ? keys[name] : keys',
    replace: 'keys',
  },
  {
    file: `${simulate}/rules/simulation.ts`,
    name: 'further documents are not replayed',
    find: '      for (const { replay } of rest) replay.push(record)\n',
    replace: '',
  },
  {
    file: `${simulate}/rules/simulation.ts`,
    name: 'the baseline is compared with itself',
    find: 'replays.find((one) => one !== old)]',
    replace: 'replays.find((one) => one === old)]',
  },
  {
    file: `${simulate}/rules/simulation.ts`,
    name: 'rules without their fields are replayed',
    find: '!skipped.has(id)',
    replace: "id !== ''",
  },
  {
    file: `${simulate}/rules/simulation.ts`,
    name: 'requests that were delayed are not noted',
    find: 'if (delayed() > 0)',
    replace: 'if (delayed() < 0)',
  },
  {
    file: `${simulate}/rules/simulation.ts`,
    name: 'only the first document can be unsure',
    find: 'Math.max(0, ...replays.map(({ replay }) => replay.errors.count))',
    replace: 'replays[0]?.replay.errors.count ?? 0',
  },
  {
    file: `${simulate}/rules/table.ts`,
    name: 'the column of the key is a value',
    find: 'columns.filter((column) => column !== on)',
    replace: 'columns',
  },
  {
    file: `${simulate}/rules/table.ts`,
    name: 'quotes stay doubled',
    find: "quoted.replaceAll('\"\"', '\"')",
    replace: 'quoted',
  },
  {
    file: `${simulate}/rules/table.ts`,
    name: 'a mark of UTF-8 belongs to the first column',
    find: ".replace(/^\\ufeff/, '')",
    replace: '',
  },
  {
    file: `${simulate}/rules/table.ts`,
    name: 'an empty row is a row',
    find: "row.length > 1 || row[0] !== ''",
    replace: 'row.length > 0',
  },
  {
    file: `${simulate}/rules/facts.ts`,
    name: 'a number chooses no row',
    find: " || typeof key === 'number'",
    replace: '',
  },
  {
    file: `${simulate}/rules/facts.ts`,
    name: 'the user is only that of the format',
    find: 'this.record.user ?? this.record.field(name)',
    replace: 'this.record.user',
  },
  {
    file: `${simulate}/rules/facts.ts`,
    name: 'the values of a table are texts',
    find: 'valueFromText(this.#document, name, `${value}`)',
    replace: 'value',
  },
  {
    file: `${simulate}/rules/needed-fields.ts`,
    name: 'cookies are in each log',
    find: "      case 'cookie':\n",
    replace: '',
  },
  {
    file: `${simulate}/rules/needed-fields.ts`,
    name: 'what must not match is not needed',
    find: "'any', 'all', 'not'",
    replace: "'any', 'all'",
  },
  {
    file: `${simulate}/rules/needed-fields.ts`,
    name: 'the first of several fields is needed',
    find: 'choices.at(-1)',
    replace: 'choices[0]',
  },
  {
    file: `${simulate}/rules/needed-fields.ts`,
    name: 'a cost is in each log',
    find: "else if (name === 'cost' && declared.has(value.slice(1))) fields.add(value.slice(1))",
    replace: '',
  },
  {
    file: `${simulate}/rules/needed-fields.ts`,
    name: 'columns of a table do not count',
    find: 'if (table?.columns.has(field) === true) return true\n',
    replace: '',
  },
]
