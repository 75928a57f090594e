const algorithms = 'packages/core/src/algorithms'

export const area = 'steps'

export const tests = [
  'packages/core/test/wall-windows packages/core/test/calendar packages/conformance/test/edges packages/conformance/test/refunds packages/conformance/test/acquire-queue',
  'packages/conformance/test/redis-own-clock packages/conformance/test/memory-equals-redis',
  'packages/conformance/test/sliding- packages/conformance/test/concurrency packages/core/test/set-clock',
  'packages/conformance/test/models packages/conformance/test/stores',
]

export const mutants = [
  {
    file: `${algorithms}/window.ts`,
    name: 'a fixed window lets a refund through after it was emptied and begun anew',
    find: 'if (row[SINCE] === receipt[SINCE]) row[USED]',
    replace: 'if (receipt[SINCE] > 0) row[USED]',
  },
  {
    file: `${algorithms}/sliding-window/step.ts`,
    name: 'a sliding window lets a refund through after it was emptied and begun anew',
    find: 'passed > older ? now : row[NUMBER] + passed',
    replace: 'row[NUMBER] + passed',
  },
  {
    file: `${algorithms}/sliding-window/step.ts`,
    name: 'a sliding window finds the sub-window of a receipt by the length of the policy',
    find: 'const passed = row[NUMBER] - receipt[NUMBER]',
    replace:
      'const passed = (opening(row, params.size) - opening(receipt, params.size)) / params.size',
  },
  {
    file: `${algorithms}/sliding-window/spread.ts`,
    name: 'a spread window opens before the last unit of the older one',
    find: 'Math.max(now, row[OLDER_FIRST] + row[OLDER_SPAN])',
    replace: 'now',
  },
  {
    file: `${algorithms}/sliding-window/spread.ts`,
    name: 'a spread window is not shortened by the refund of its newest unit',
    find: 'if (isNewest) row[span]',
    replace: 'if (cost < 0) row[span]',
  },
  {
    file: `${algorithms}/sliding-log/step.ts`,
    name: 'a refund gives back more than its record holds',
    find: 'Math.min(cost, recorded)',
    replace: 'cost',
  },
  {
    file: `${algorithms}/sliding-log/log.ts`,
    name: 'a log cannot hold a moment 2^32 ms after its first',
    find: 'time - this.#origin >= span &&',
    replace: 'time - this.#origin > span &&',
  },
  {
    file: `${algorithms}/sliding-log/log.ts`,
    name: 'a wide log becomes a narrow one 2^32 ms too early',
    find: 'ringOf(capacity, newest - origin >= span)',
    replace: 'ringOf(capacity, newest - origin > span)',
  },
  {
    file: `${algorithms}/concurrency/step.ts`,
    name: 'the 1025th lease of a millisecond lasts longer',
    find: 'Math.min(row[TOKEN] - now * ranksPerMs, ranksPerMs - 1)',
    replace: '(row[TOKEN] - now * ranksPerMs)',
  },
  {
    file: `${algorithms}/concurrency/leases.ts`,
    name: 'the lease of a forgiven owner can be released in memory',
    find: 'at = at.after) leases.grants.delete(at.id)',
    replace: 'at = at.after) leases.grants.has(at.id)',
  },
  {
    file: `${algorithms}/gcra/span.ts`,
    name: 'a changed policy leaves the debt as it was',
    find: 'return before !== 0 && before !== span',
    replace: 'return before < 0',
  },
  {
    file: `${algorithms}/gcra/step.ts`,
    name: 'the wait of a key with the backlog of another policy is that of its own',
    find: 'return idleAt(row) - Math.floor(left / lengthOf(span))',
    replace: 'return idleAt(row) - Math.floor(most / refill)',
  },
  {
    file: `${algorithms}/gcra/step.ts`,
    name: 'a decision of an earlier policy returns units of a later one',
    find: 'if (isForeign(row, params.span)) return\n',
    replace: 'rescale(row, params.span, now)\n',
  },
  {
    file: `${algorithms}/gcra/step.ts`,
    name: 'a refund of nothing converts the count',
    find: 'if (newest <= 0) return\n',
    replace: '',
  },
  {
    file: `${algorithms}/gcra/step.ts`,
    name: 'a penalty of nothing converts the count',
    find: 'row[SPAN] !== span && cost > 0',
    replace: 'row[SPAN] !== span',
  },
  {
    file: `${algorithms}/leaky-queue/step.ts`,
    name: 'a refund in the middle of a queue gives its end to two requests',
    find: ' || !isLast(receipt, row)',
    replace: '',
  },
  {
    file: 'packages/core/src/limiter/waits.ts',
    name: 'of requests that end together, the first one is refunded first',
    find: 'other.due - one.due',
    replace: 'one.due - other.due',
  },
  {
    file: `${algorithms}/gcra/step.ts`,
    name: 'two refunds give back what one request took',
    find: '- refundedSince * every : 0',
    replace: ': 0',
  },
  {
    file: `${algorithms}/leaky-queue/step.ts`,
    name: 'a queue refuses the greatest cost',
    find: 'if (cost > largest) return Infinity',
    replace: 'if (cost >= largest) return Infinity',
  },
  {
    file: `${algorithms}/leaky-queue/step.ts`,
    name: 'a queue holds a request for its own cost, too',
    find: '(taken ? cost * params.every : 0)',
    replace: '(taken ? 0 : 0)',
  },
  {
    file: `${algorithms}/staged/step.ts`,
    name: 'a penalty of 0 starts the second policy anew',
    find: 'if (cost > 0 && !free.steps.look',
    replace: 'if (!free.steps.look',
  },
  {
    file: `${algorithms}/staged/step.ts`,
    name: 'a refund of the last free request gives nothing back to the second policy',
    find: 'if (taken !== FREE && startsIn',
    replace: 'if (taken === THEN && startsIn',
  },
  {
    file: `${algorithms}/staged/step.ts`,
    name: 'a refund of the last free request gives nothing back to the first policy',
    find: 'if (taken !== THEN) {',
    replace: 'if (taken === FREE) {',
  },
  {
    file: `${algorithms}/staged/step.ts`,
    name: 'a refund reaches units of a later start of the second policy',
    find: 'if (taken !== FREE && startsIn(receipt) === startsIn(row)) {',
    replace: 'if (taken !== FREE) {',
  },
  {
    file: `${algorithms}/calendar-window/step.ts`,
    name: 'a calendar window counts by the monotonic clock',
    find: 'followsWall: () => true',
    replace: 'followsWall: () => false',
  },
  {
    file: `${algorithms}/calendar-window/calendar.ts`,
    name: 'an hour of a calendar that the clocks repeat is one window',
    find: 'zone.changeBetween(moment, end) ?? end',
    replace: 'end',
  },
  {
    file: `${algorithms}/calendar-window/calendar.ts`,
    name: 'a day of a calendar ends when the clocks show yesterday again',
    find: 'while (end <= moment) {',
    replace: 'while (end < 0) {',
  },
  {
    file: 'packages/core/src/time-zone.ts',
    name: 'a day of a calendar whose midnight is skipped begins before the clocks change',
    find: 'Math.max(change, localTime - offsetAt(change))',
    replace: 'localTime - offsetAt(change)',
  },
  {
    file: 'packages/core/src/time-zone.ts',
    name: 'a day of a calendar whose midnight is repeated begins at the second one',
    find: 'change === undefined || moment < change',
    replace: 'change === undefined',
  },
  {
    file: 'packages/core/src/time-zone.ts',
    name: 'the zone of a calendar is an abbreviation that several zones share',
    find: '(?![A-Z]{2}T$)',
    replace: '',
  },
  {
    file: 'packages/core/src/time-zone.ts',
    name: 'each calendar creates a format of its own',
    find: 'zones.get(id) ?? createTimeZone(name)',
    replace: 'createTimeZone(name)',
  },
]
