const database = 'packages/core/src/stores/database'

export const area = 'database'

export const tests = [
  'packages/core/test/database',
  'packages/conformance/test/random-traffic.test',
  'packages/conformance/test/database-stores',
]

export const mutants = [
  {
    file: `${database}/remembered-rows.ts`,
    name: 'a remembered row does not end',
    find: 'return endsAt > now ? row : undefined',
    replace: 'return endsAt > 0 ? row : undefined',
  },
  {
    file: `${database}/remembered-rows.ts`,
    name: 'a row that was loaded does not end',
    find: 'endsAt = endOf(row)',
    replace: 'endsAt = Infinity',
  },
  {
    file: `${database}/page.ts`,
    name: 'a row ends with its first part',
    find: 'last = Math.max(last, ends)',
    replace: 'last = last || ends',
  },
  {
    file: `${database}/rounds.ts`,
    name: 'the estimated time is not one millisecond early',
    find: 'let now = clock.at(processTime.monotonic()) - 1',
    replace: 'let now = clock.at(processTime.monotonic())',
  },
  {
    file: `${database}/rounds.ts`,
    name: 'a denial by a remembered row is final',
    find: 'if (group.isGuess && changes.length < group.keys.length) {',
    replace: 'if (group.isGuess && changes.length < 0) {',
  },
  {
    file: `${database}/rounds.ts`,
    name: 'rows are not remembered when they are loaded',
    find: 'for (const [key, row] of rows) remembered.set(key, row, now)',
    replace: '',
  },
  {
    file: `${database}/rounds.ts`,
    name: 'a save has no deadline',
    find: 'until: Math.max(from, clock.at(due) + 1)',
    replace: 'until: Math.max(from, clock.at(due) + 1_000_000)',
  },
  {
    file: `${database}/rounds.ts`,
    name: 'the span begins at any time',
    find: 'const span = { from,',
    replace: 'const span = { from: 0,',
  },
  {
    file: `${database}/rounds.ts`,
    name: 'a failed save is repeated',
    find: `    } catch (error) {
      fail(groups, error)
      return []
    }
    if (groups.some`,
    replace: `    } catch {
      return groups
    }
    if (groups.some`,
  },
  {
    file: `${database}/rounds.ts`,
    name: 'a refused group counts as saved',
    find: 'if (versions === undefined) return false',
    replace: 'if (versions === undefined) versions = []',
  },
  {
    file: `${database}/rounds.ts`,
    name: 'the current rows of a refused group are loaded again',
    find: 'group.rows = hasAll ? known : undefined',
    replace: 'group.rows = undefined',
  },
  {
    file: `${database}/rounds.ts`,
    name: 'a conflict is not noted',
    find: 'for (const item of group.items) item.hasConflicted = true',
    replace: '',
  },
  {
    file: `${database}/rounds.ts`,
    name: 'a refused row stays remembered',
    find: 'for (const [key, row] of known) remembered.set(key, row, now)',
    replace: '',
  },
  {
    file: `${database}/rounds.ts`,
    name: 'a request is tried after its time',
    find: 'items.filter(({ dueAt }) => dueAt <= now)',
    replace: 'items.filter(({ dueAt }) => dueAt <= -now)',
  },
  {
    file: `${database}/rounds.ts`,
    name: 'ended rows are never deleted',
    find: 'Math.random() * savesPerClean >= 1',
    replace: 'savesPerClean >= 1',
  },
  {
    file: `${database}/rounds.ts`,
    name: 'several deletions run at once',
    find: 'isCleaning = true',
    replace: '',
  },
  {
    file: `${database}/rounds.ts`,
    name: 'a reply of another form is not noticed',
    find: `      // A reply that is not of the form of the contract.
      fail(groups, error)`,
    replace: '      if (error === groups) throw error',
  },
  {
    file: `${database}/rounds.ts`,
    name: 'a damaged row opens the breaker',
    find: `      // The database has replied, so the breaker must not open.
      noteReply()`,
    replace: '',
  },
  {
    file: `${database}/decided-group.ts`,
    name: 'a damaged row of an error is not replaced',
    find: 'const changes = rows.flatMap(([, { change }]) => change ?? [])',
    replace: 'const changes: Change[] = []',
  },
  {
    file: `${database}/decided-group.ts`,
    name: 'the mark of a damaged row is not read',
    find: 'if (Array.from(pages.values()).some(({ isDamaged }) => isDamaged))',
    replace: 'if (pages.size === 0)',
  },
  {
    file: `${database}/rounds.ts`,
    name: 'a group is decided by remembered rows that are not saved',
    find: 'if (group.isGuess && changes.length < group.keys.length) {',
    replace: 'if (group.isGuess && changes.length === 0) {',
  },
  {
    file: `${database}/decided-group.ts`,
    name: 'the rows that a request does not change can change meanwhile',
    find: '!own.some(({ isChanged }) => isChanged)',
    replace: '!own.every(({ isChanged }) => isChanged)',
  },
  {
    file: `${database}/page.ts`,
    name: 'another process can make a row that was absent',
    find: 'if (!this.#isExpected) return undefined',
    replace: 'if (this.#isExpected || !this.#isExpected) return undefined',
  },
  {
    file: `${database}/decided-group.ts`,
    name: 'a row can be longer than 64 KiB',
    find: '> mostBytes)',
    replace: '> 2 * mostBytes)',
  },
  {
    file: `${database}/page.ts`,
    name: 'a damaged row reads as absent',
    find: 'if (row !== undefined && row.parts === undefined) this.#replace()',
    replace: '',
  },
  {
    file: `${database}/page.ts`,
    name: 'the mark of a damaged row never ends',
    find: 'mark !== undefined && mark.ends > this.#loadedAt',
    replace: 'mark !== undefined',
  },
  {
    file: `${database}/page.ts`,
    name: 'an ended part is deleted at once',
    find: 'ends + graceMs > this.#changedAt',
    replace: 'ends > this.#changedAt',
  },
  {
    file: `${database}/page.ts`,
    name: 'the row of an injected clock ends early',
    find: 'this.#isInjected ? injectedGraceMs : graceMs',
    replace: 'graceMs',
  },
  {
    file: `${database}/page.ts`,
    name: 'the end of a row is a time of the request',
    find: 'this.#loadedAt + lastEnd(parts) - this.#changedAt + grace',
    replace: 'lastEnd(parts) + grace',
  },
  {
    file: `${database}/page.ts`,
    name: 'records are packed from the old body',
    find: 'if (records === undefined || isPacked !== false) return part',
    replace: 'if (records === undefined || isPacked === false) return part',
  },
  {
    file: `${database}/page.ts`,
    name: 'what was not saved stays in a remembered row',
    find: 'this.#parts[at] = { ...part, records: { algorithm, body } }',
    replace: 'Object.assign(part, { records: { algorithm, body } })',
  },
  {
    file: `${database}/page-side.ts`,
    name: 'a reset does not count the earlier ones',
    find: 'row: nextReset(this.reset, now)',
    replace: 'row: nextReset(noRow, now)',
  },
  {
    file: `${database}/page-side.ts`,
    name: 'the record of a reset counts until it is removed',
    find: 'part === undefined || part.ends <= this.#now',
    replace: 'part === undefined',
  },
  {
    file: `${database}/page.ts`,
    name: 'a form of another width is the same',
    find: 'part.id === id && part.row.length === width',
    replace: 'part.id === id && part.row.length >= Math.min(width, 0)',
  },
  {
    file: `${database}/groups.ts`,
    name: 'requests that share a key through another are two groups',
    find: 'if (other !== first) leaders.set(other, first)',
    replace: 'if (other === first) leaders.set(other, first)',
  },
  {
    file: `${database}/gathering.ts`,
    name: 'two calls are about a row at the same time',
    find: 'busy.has(key) || behind.has(key)',
    replace: 'behind.has(key)',
  },
  {
    file: `${database}/gathering.ts`,
    name: 'a later request overtakes one that waits',
    find: 'busy.has(key) || behind.has(key)',
    replace: 'busy.has(key)',
  },
  {
    file: `${database}/gathering.ts`,
    name: 'any number of calls runs at the same time',
    find: 'if (calls.size < mostCalls) return false',
    replace: 'if (calls.size < 1000 * mostCalls) return false',
  },
  {
    file: `${database}/gathering.ts`,
    name: 'a call that hangs leaves its connection',
    find: 'call.open === 0 && !(call.hasExpired && call.isRunning)',
    replace: 'call.open === 0',
  },
  {
    file: `${database}/gathering.ts`,
    name: 'a call has any number of requests',
    find: 'chosen.length >= most ||',
    replace: '',
  },
  {
    file: `${database}/gathering.ts`,
    name: 'a key is free after its first request',
    find: 'if (count > 0) busy.set(key, count)',
    replace: 'if (count > 1000) busy.set(key, count)',
  },
  {
    file: `${database}/transport.ts`,
    name: 'a conflict until the timeout is a timeout',
    find: 'return hasConflicted\n',
    replace: 'return hasConflicted && timeout < 0\n',
  },
  {
    file: `${database}/transport.ts`,
    name: 'a refund has the deadline of a request',
    find: '(isRefund ? refundMs : timeout)',
    replace: '(isRefund ? timeout : timeout)',
  },
  {
    file: `${database}/remembered-rows.ts`,
    name: 'the number of remembered rows is not bounded',
    find: 'this.#rows.size <= this.#most &&',
    replace: '',
  },
  {
    file: `${database}/remembered-rows.ts`,
    name: 'the bytes of remembered rows are not bounded',
    find: ' && this.#bytes <= mostBytes',
    replace: '',
  },
  {
    file: `${database}/state-bytes.ts`,
    name: 'any layout is read',
    find: 'if (reader.number() !== layout) return undefined',
    replace: 'reader.number()',
  },
  {
    file: `${database}/state-bytes.ts`,
    name: 'a state that was cut to nothing reads as no parts',
    find: 'return parts.length === 0 ? undefined : parts',
    replace: 'return parts',
  },
  {
    file: `${database}/state-bytes.ts`,
    name: 'bytes are read as they are',
    find: 'ArrayBuffer.isView(bytes) ? readBytes(bytes, readParts) : undefined',
    replace: 'readBytes(bytes, readParts)',
  },
  {
    file: `${database}/database-store.ts`,
    name: 'a log of any limit is allowed',
    find: 'slidingLog: 8000',
    replace: 'slidingLog: 8_000_000',
  },
  {
    file: `${database}/page-side.ts`,
    name: 'an exemption and a block stay beside each other',
    find: '    this.removeOverride()\n    const ends',
    replace: '    const ends',
  },
  {
    file: `${database}/state-bytes.ts`,
    name: 'a reset ends an exemption',
    find: '[blockId, exemptionId, resetId, damageId, emptyId]',
    replace: '[blockId, resetId, damageId, emptyId]',
  },
  {
    file: `${database}/page-plan.ts`,
    name: 'an exempt key is denied by its quota',
    find: 'return isExempt(this) || (fits',
    replace: 'return (fits',
  },
]
