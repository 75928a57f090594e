const memory = 'packages/core/src/stores/memory'

export const area = 'memory store'

export const tests = [
  'packages/conformance/test/direct-memory packages/conformance/test/memory- packages/core/test/wall-windows packages/core/test/table.test packages/core/test/key-hash packages/core/test/refund-after-reset packages/core/test/set-clock',
  'packages/conformance/test/edges packages/conformance/test/redis-own-clock packages/conformance/test/refunds',
  'packages/conformance/test/stores',
]

export const mutants = [
  {
    file: `${memory}/key-hash.ts`,
    name: 'the key of the hash is drawn again for each text',
    find: 'if (this.#last === undefined) this.#begin()',
    replace: 'this.#begin()',
  },
  {
    file: `${memory}/key-hash.ts`,
    name: 'the key of the hash is drawn when a store is made',
    find: 'this.#drawKey = drawKey',
    replace: 'this.#drawKey = drawKey\n    this.#begin()',
  },
  {
    file: `${memory}/state-table.ts`,
    name: 'a reset keeps what another form counted under the name',
    find: 'table.removeKey(keyHigh ^ nameHigh ^ high, keyLow ^ nameLow ^ low)',
    replace:
      'if (table.size === 0) table.removeKey(keyHigh ^ nameHigh ^ high, keyLow ^ nameLow ^ low)',
  },
  {
    file: `${memory}/state-table.ts`,
    name: 'a reset is recorded only for the form that resets',
    find: 'if (form !== own) until',
    replace: 'if (form === own) until',
  },
  {
    file: 'packages/core/src/algorithms/kind.ts',
    name: 'two forms of one name share a row',
    find: '`${steps.id} ${moments + counts}`',
    replace: '`${moments + counts}`',
  },
  {
    file: `${memory}/partitions.ts`,
    name: 'policies of different names share their blocks',
    find: 'JSON.stringify([entry.limiter, entry.name])',
    replace: 'JSON.stringify([entry.limiter, entry.name.length])',
  },
  {
    file: `${memory}/state-table.ts`,
    name: 'a peek sweeps',
    find: "if (verb !== 'peek') this",
    replace: 'this',
  },
  {
    file: `${memory}/bounded-tables.ts`,
    name: 'a sweep has no grace for a clock that steps back',
    find: 'sweepNext(now - graceMs)',
    replace: 'sweepNext(now)',
  },
  {
    file: `${memory}/bounded-tables.ts`,
    name: 'only one of the tables is swept',
    find: 'this.#turn++ % this.#tables.length',
    replace: '0',
  },
  {
    file: `${memory}/bounded-tables.ts`,
    name: 'a spent key goes before one that has quota to spend',
    find: 'if (!this.#tables.some((other) => other.evictUnspent(high))) this',
    replace: 'this',
  },
  {
    file: `${memory}/state-table.ts`,
    name: 'a window of the wall follows the monotonic clock',
    find: '? this.#time.wall() : now',
    replace: '? now : now',
  },
  {
    file: `${memory}/executor.ts`,
    name: 'a denied request starts no block',
    find: "if (fits || block?.on !== 'exceeded'",
    replace: "if (!fits || block?.on !== 'exceeded'",
  },
  {
    file: `${memory}/executor.ts`,
    name: 'a cost that can never fit starts no block',
    find: 'const fits = steps.wait(row, params, now, cost) === 0',
    replace: 'const fits = [0, Infinity].includes(steps.wait(row, params, now, cost))',
  },
  {
    file: `${memory}/executor.ts`,
    name: 'a bucket expires during a block that a denied request started',
    find: 'if (steps.persistsOnDenial(params)) this.#rows.save(cursor, state)',
    replace: '',
  },
  {
    file: `${memory}/executor.ts`,
    name: 'a refund leaves the block that its request started',
    find: 'return isByLimit && blockedUntil > now &&',
    replace: 'return isByLimit && blockedUntil < now &&',
  },
  {
    file: `${memory}/executor.ts`,
    name: 'a refund after a reset takes units of later decisions',
    find: 'if (isForgotten(this.#rows.loadReset(cursor), receipt)) return true',
    replace: '',
  },
  {
    file: `${memory}/reset.ts`,
    name: 'a refund in the millisecond of its reset takes units of later decisions',
    find: '(now === row[AT] && resets !== row[COUNT])',
    replace: '(now === row[AT] && resets > row[COUNT])',
  },
  {
    file: `${memory}/state-table.ts`,
    name: 'a block is forgotten as soon as it ends, so that the next one does not escalate',
    find: 'this.moment + blockForgotten(block) - now',
    replace: 'this.moment + block[UNTIL] - now',
  },
  {
    file: `${memory}/state-table.ts`,
    name: 'a second reset shortens what is known of the first',
    find: 'Math.max(resets.endOf(high, low), until)',
    replace: 'until',
  },
  {
    file: `${memory}/direct.ts`,
    name: 'the direct way takes from one policy although another denies',
    find: 'if (!states[i].look(high, low, cost)) fits = false',
    replace: 'fits = states[i].look(high, low, cost)',
  },
  {
    file: `${memory}/row-state.ts`,
    name: 'the direct way counts windows of the wall by the other clock',
    find: 'this.#wall === undefined ? this.#rows.moment : this.#wall()',
    replace: 'this.#rows.moment',
  },
  {
    file: `${memory}/row-state.ts`,
    name: 'the direct way reads a key that is not there as the one before',
    find: 'if (at < 0) row = table.blank(views)',
    replace: 'if (at < 0) row = this.row',
  },
  {
    file: `${memory}/row-state.ts`,
    name: 'the direct way of several policies reads a key that is not there as the one before',
    find: 'place === -1 ? table.blank(this.#views)',
    replace: 'place === -1 ? this.row',
  },
  {
    file: `${memory}/row-state.ts`,
    name: 'the direct way marks no row as spent',
    find: 'const isSpent = this.used >= this.#quota\n    if (at < 0',
    replace: 'const isSpent = false\n    if (at < 0',
  },
  {
    file: `${memory}/row-state.ts`,
    name: 'the direct way of several policies marks no row as spent',
    find: 'const isSpent = this.used >= this.#quota\n    if (this.#place',
    replace: 'const isSpent = false\n    if (this.#place',
  },
  {
    file: `${memory}/row-state.ts`,
    name: 'the direct way does not count that a row of a segment is spent',
    find: 'segment.unspent += isSpent ? -1 : 1',
    replace: '',
  },
  {
    file: `${memory}/row-state.ts`,
    name: 'the direct way does not count that a row of a table is spent',
    find: 'table.unspent += isSpent ? -1 : 1',
    replace: '',
  },
  {
    file: `${memory}/row-state.ts`,
    name: 'the direct way keeps a row for a denied key',
    find: 'if (!fits || cost === 0) return fits',
    replace: 'if (cost === 0) return fits',
  },
  {
    file: `${memory}/row-state.ts`,
    name: 'the direct way of several policies writes where a row was before another was inserted',
    find: 'if (partition.table.moves !== this.#moves) this.#seek(keyHigh, keyLow)',
    replace: '',
  },
  {
    file: `${memory}/state-table.ts`,
    name: 'the direct way decides for a blocked key',
    find: 'find(high ^ nameHigh, low ^ nameLow) !== -1',
    replace: 'find(high ^ nameHigh, low ^ nameLow) === -2',
  },
  {
    file: `${memory}/state-table.ts`,
    name: 'the direct way decides in the millisecond of a reset',
    find: 'if (now <= this.#lastReset) return true',
    replace: '',
  },
  {
    file: 'packages/core/src/limiter/receipts/direct-receipt.ts',
    name: 'the receipt of a direct decision has the time of another',
    find: 'return { row, blockedUntil: 0, now }',
    replace: 'return { row, blockedUntil: 0, now: 0 }',
  },
  {
    file: 'packages/core/src/limiter/direct.ts',
    name: 'the direct way ignores the policies of a call',
    find: 'last.policies !== policies',
    replace: 'false',
  },
  {
    file: `${memory}/segment.ts`,
    name: 'a removed row leaves a hole in the index',
    find: 'if (((next - home) & mask) >= ((next - hole) & mask)) {',
    replace: 'if (((next - home) & mask) > ((next - hole) & mask)) {',
  },
  {
    file: `${memory}/table.ts`,
    name: 'a table that was swept is not merged',
    find: 'neighbour.depth !== segment.depth || rows > mostRows / 4',
    replace: 'rows > 0',
  },
  {
    file: 'packages/core/src/algorithms/leaky-queue/step.ts',
    name: 'a queue is read like a meter',
    find: 'settleBy(leakyQueueSteps, settled, cost)',
    replace: 'settleBy(gcraSteps, settled, cost)',
  },
  {
    file: 'packages/core/src/algorithms/window.ts',
    name: 'the direct way keeps a window after its end',
    find: 'settled.ends = end\n',
    replace: 'settled.ends = end + 5\n',
  },
  {
    file: 'packages/core/src/algorithms/gcra/step.ts',
    name: 'the direct way says when a burst could begin, not the next unit',
    find: '(Math.min(used, burst) - 1) * every) - now',
    replace: '0) - now',
  },
  {
    file: 'packages/core/src/algorithms/sliding-window/spread-step.ts',
    name: 'the direct way waits for one unit although penalties exceed the limit',
    find: 'Math.max(1, used + 1 - limit)',
    replace: '1',
  },
  {
    file: 'packages/core/src/algorithms/gcra/step.ts',
    name: 'the direct way does not wait for the units beyond the burst',
    find: 'Math.min(used, burst) - 1',
    replace: 'used - 1',
  },
  {
    file: 'packages/core/src/limiter/direct.ts',
    name: 'the receipt of a direct decision has the state of the last policy only',
    find: 'cost, last, takenBefore(states)',
    replace: 'cost, last, undefined',
  },
]
