const stores = 'packages/core/src/stores'
const memory = `${stores}/memory`

export const area = 'memory store'

export const tests = [
  'packages/conformance/test/plans.test packages/core/test/decision.test packages/conformance/test/memory- packages/core/test/wall-windows packages/core/test/table.test packages/core/test/key-hash packages/core/test/refund-after-reset packages/core/test/set-clock',
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
    file: `${memory}/table-cursor.ts`,
    name: 'a reset keeps what another form counted under the name',
    find: 'form.table.removeKey(high ^ form.high, low ^ form.low)',
    replace:
      'if (form === this.#partition.form) form.table.removeKey(high ^ form.high, low ^ form.low)',
  },
  {
    file: `${memory}/table-cursor.ts`,
    name: 'a reset is recorded only for the form that resets',
    find: 'if (form === this.#partition.form) continue',
    replace: 'continue',
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
    file: `${memory}/index.ts`,
    name: 'a peek sweeps',
    find: "if (call.verb === 'consume' && !this.#countsNothing)",
    replace: 'if (!this.#countsNothing)',
  },
  {
    file: `${memory}/partitions.ts`,
    name: 'a sweep has no grace for a clock that steps back',
    find: 'sweepNext(now - graceMs)',
    replace: 'sweepNext(now)',
  },
  {
    file: `${memory}/partitions.ts`,
    name: 'only one of the tables is swept',
    find: 'this.#turn++ % this.#tables.length',
    replace: '0',
  },
  {
    file: `${memory}/partitions.ts`,
    name: 'a spent key goes before one that has quota to spend',
    find: 'if (!this.#tables.some((other) => other.evictUnspent(high))) this',
    replace: 'this',
  },
  {
    file: `${memory}/row-cursor.ts`,
    name: 'a window of the wall follows the monotonic clock',
    find: 'this.#wall === undefined ? this.rows.moment : this.#wall()',
    replace: 'this.rows.moment',
  },
  {
    file: `${stores}/cursor.ts`,
    name: 'a denied request starts no block',
    find: "!allowed && block?.on === 'exceeded' && this.#denies(cost)",
    replace: "allowed && block?.on === 'exceeded' && this.#denies(cost)",
  },
  {
    file: `${stores}/cursor.ts`,
    name: 'a cost that can never fit starts no block',
    find: 'this.policy.steps.wait(row, params, now, cost) > 0',
    replace: '![0, Infinity].includes(this.policy.steps.wait(row, params, now, cost))',
  },
  {
    file: `${stores}/cursor.ts`,
    name: 'a bucket expires during a block that a denied request started',
    find: 'if (persists) this.save()',
    replace: '',
  },
  {
    file: `${stores}/changes.ts`,
    name: 'a refund leaves the block that its request started',
    find: 'return isByLimit && until > cursor.now &&',
    replace: 'return isByLimit && until < cursor.now &&',
  },
  {
    file: `${stores}/changes.ts`,
    name: 'a refund after a reset takes units of later decisions',
    find: 'if (isForgotten(cursor.side.reset, receipt)) return true',
    replace: '',
  },
  {
    file: `${stores}/cursor.ts`,
    name: 'a refund in the millisecond of its reset takes units of later decisions',
    find: '(now === row[AT] && resets !== row[COUNT])',
    replace: '(now === row[AT] && resets > row[COUNT])',
  },
  {
    file: `${memory}/table-cursor.ts`,
    name: 'a block is forgotten as soon as it ends, so that the next one does not escalate',
    find: 'rows.moment + blockForgotten(block) - now',
    replace: 'rows.moment + block[0] - now',
  },
  {
    file: `${memory}/table-cursor.ts`,
    name: 'a second reset shortens what is known of the first',
    find: 'Math.max(resets.endOf(high, low), until)',
    replace: 'until',
  },
  {
    file: `${memory}/index.ts`,
    name: 'a decision takes from one policy although another denies',
    find: 'if (!cursors[i].decide(LOOK, call, costAt(cost, i), true)) fits = false',
    replace: 'fits = cursors[i].decide(LOOK, call, costAt(cost, i), true)',
  },
  {
    file: `${memory}/row-cursor.ts`,
    name: 'a key that is not there is read as the one before',
    find: 'if (at < 0) row = table.blank(views)',
    replace: 'if (at < 0) row = this.row',
  },
  {
    file: `${memory}/row-cursor.ts`,
    name: 'a decision marks no row as spent',
    find: 'const isSpent = this.used >= this.quota',
    replace: 'const isSpent = false',
  },
  {
    file: `${memory}/row-cursor.ts`,
    name: 'a decision does not count that a row of a segment is spent',
    find: 'segment.unspent += isSpent ? -1 : 1',
    replace: '',
  },
  {
    file: `${memory}/row-cursor.ts`,
    name: 'a decision does not count that a row of a table is spent',
    find: 'table.unspent += isSpent ? -1 : 1',
    replace: '',
  },
  {
    file: `${memory}/row-cursor.ts`,
    name: 'a denied key keeps a row',
    find: 'const taken = isPeek || !fits ? 0 : cost',
    replace: 'const taken = isPeek ? 0 : cost',
  },
  {
    file: `${memory}/row-cursor.ts`,
    name: 'a decision writes where a row was before another was inserted',
    find: 'if (table.moves !== this.moves) this.seek()',
    replace: '',
  },
  {
    file: `${memory}/table-cursor.ts`,
    name: 'a blocked key is allowed',
    find: 'return this.blockedUntil > now',
    replace: 'return false',
  },
  {
    file: `${memory}/table-cursor.ts`,
    name: 'a decision in the millisecond of a reset does not know of it',
    find: 'now <= rows.lastReset ?',
    replace: 'now < rows.lastReset ?',
  },
  {
    file: 'packages/core/src/stores/compiled-policies.ts',
    name: 'the receipt of a decision has the time of another',
    find: 'return { row, blockedUntil: 0, now }',
    replace: 'return { row, blockedUntil: 0, now: 0 }',
  },
  {
    file: 'packages/core/src/limiter/plans.ts',
    name: 'a decision ignores the policies of a call',
    find: 'last.policies !== policies',
    replace: 'false',
  },
  {
    file: 'packages/core/src/limiter/decisions.ts',
    name: 'a limiter bypasses a `run` that the application has replaced',
    find: 'if (!memory.runsItself) return asked.consume(key, options)',
    replace: '',
  },
  {
    file: 'packages/core/src/limiter/decisions.ts',
    name: 'an unknown option of a call is ignored',
    find: 'if (!areKnown(options)) requests.checkConsume(options)',
    replace: '',
  },
  {
    file: 'packages/core/src/limiter/receipt.ts',
    name: 'a denied decision is refunded',
    find: 'this.allowed = allowed\n    this.row',
    replace: 'this.allowed = true\n    this.row',
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
    name: 'a decision keeps a window after its end',
    find: 'settled.ends = end\n',
    replace: 'settled.ends = end + 5\n',
  },
  {
    file: 'packages/core/src/algorithms/gcra/step.ts',
    name: 'a decision says when a burst could begin, not the next unit',
    find: '(Math.min(used, burst) - 1) * every) - now',
    replace: '0) - now',
  },
  {
    file: 'packages/core/src/algorithms/sliding-window/spread.ts',
    name: 'a decision waits for one unit although penalties exceed the limit',
    find: 'Math.max(1, used + 1 - limit)',
    replace: '1',
  },
  {
    file: 'packages/core/src/algorithms/gcra/step.ts',
    name: 'a decision does not wait for the units beyond the burst',
    find: 'Math.min(used, burst) - 1',
    replace: 'used - 1',
  },
  {
    file: 'packages/core/src/limiter/receipt.ts',
    name: 'the receipt of a decision has the state of the last policy only',
    find: 'states.unshift(stateOf(decided))',
    replace: 'states.unshift(stateOf(this))',
  },
]
