const simulate = 'packages/cli/src/simulate'

export const area = 'simulate'

export const tests = [
  'packages/cli/test/simulate/order packages/cli/test/simulate/input packages/cli/test/simulate/tally packages/cli/test/simulate/rules packages/cli/test/simulate/cutters packages/cli/test/simulate/samples',
]

export const mutants = [
  {
    file: `${simulate}/order/spread.ts`,
    name: 'the requests of a second stay at its beginning',
    find: 'spread ? Math.floor((i * 1000) / records.length) : 0',
    replace: '0',
  },
  {
    file: `${simulate}/order/spread.ts`,
    name: 'durations are ignored',
    find: ' - (record.durationMs ?? 0)',
    replace: '',
  },
  {
    file: `${simulate}/order/reorder.ts`,
    name: 'lines are passed on before others can be out of order',
    find: 'heap.least < latest - disorderMs',
    replace: 'heap.least <= latest',
  },
  {
    file: `${simulate}/order/reorder.ts`,
    name: 'a late line steps back in time',
    find: '        record.at = emitted\n',
    replace: '',
  },
  {
    file: `${simulate}/order/heap.ts`,
    name: 'records of one time change places',
    find: 'this.#turns[a] < this.#turns[b]',
    replace: 'this.#turns[a] > this.#turns[b]',
  },
  {
    file: `${simulate}/tally/key-table.ts`,
    name: 'half of a fingerprint is compared',
    find: 'this.#highs[found] === high && this.#lows[found] === low',
    replace: 'this.#lows[found] === low || this.#highs[found] === high',
  },
  {
    file: `${simulate}/tally/timeline.ts`,
    name: 'intervals are merged at odd times',
    find: 'start === this.#start ? 0 : 1',
    replace: '0',
  },
  {
    file: `${simulate}/tally/hot-keys.ts`,
    name: 'a new key takes over no error',
    find: 'error: least.count, value',
    replace: 'error: 0, value',
  },
  {
    file: `${simulate}/cut/text.ts`,
    name: 'an escaped quote ends a field',
    find: 'return backslashes % 2 === 1',
    replace: 'return false',
  },
  {
    file: `${simulate}/cut/log-time.ts`,
    name: 'zones are added',
    find: '* 1000 - this.#zoneMs',
    replace: '* 1000 + this.#zoneMs',
  },
  {
    file: `${simulate}/input/merge.ts`,
    name: 'a log is read to its end before the next one',
    find: 'due[end] <= until',
    replace: 'due[end] <= Infinity',
  },
  {
    file: `${simulate}/checks.ts`,
    name: 'short windows are replayed from whole seconds',
    find: 'wholeSeconds && !force',
    replace: 'wholeSeconds && force',
  },
  {
    file: `${simulate}/policies.ts`,
    name: 'the burst of gcra does not shorten its recovery',
    find: "number('burst') * number('window')",
    replace: "number('limit') * number('window')",
  },
  {
    file: `${simulate}/policies.ts`,
    name: 'only the first stage is checked',
    find: 'Math.min(...stagesOf(policy).map(recoveryMs))',
    replace: 'recoveryMs(stagesOf(policy)[0])',
  },
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
    file: `${simulate}/cut/w3c.ts`,
    name: 'fields are not decoded',
    find: 'bytes === undefined ? undefined : textOf(bytes)',
    replace: 'bytes',
  },
  {
    file: `${simulate}/cut/log-time.ts`,
    name: '31 February is a day',
    find: 'time.getUTCDate() === day ? time.getTime() : -1',
    replace: 'time.getTime()',
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
]
