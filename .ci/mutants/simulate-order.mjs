const simulate = 'packages/cli/src/simulate'

export const area = 'simulate-order'

export const tests = [
  'packages/cli/test/simulate/stages packages/cli/test/simulate/order packages/cli/test/simulate/parts packages/cli/test/simulate/times packages/cli/test/simulate/input',
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
    file: `${simulate}/read-log.ts`,
    name: 'lines are passed on before others can be out of order',
    find: 'heap.least < latest - disorderMs',
    replace: 'heap.least <= latest',
  },
  {
    file: `${simulate}/read-log.ts`,
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
    file: `${simulate}/input/merge.ts`,
    name: 'a log is read to its end before the next one',
    find: 'due[end] <= until',
    replace: 'due[end] <= Infinity',
  },
  {
    file: `${simulate}/input/merge.ts`,
    name: 'a log that begins later is not waited for',
    find: 'Math.min(waiting.least, open.least)',
    replace: 'open.least',
  },
  {
    file: `${simulate}/input/merge.ts`,
    name: 'a line from the future holds back its log',
    find: 'earliest = Math.min(earliest, batch[i].time)',
    replace: 'earliest = batch[i].time',
  },
  {
    file: `${simulate}/input/merge.ts`,
    name: 'the next part of a log begins where the last one ended',
    find: '  opened.at = 0\n',
    replace: '',
  },
  {
    file: `${simulate}/input/merge.ts`,
    name: 'a log ends with its first part',
    find: 'first.at < first.batch.length || (await refill(first))',
    replace: 'first.at < first.batch.length',
  },
  {
    file: `${simulate}/cut/lines.ts`,
    name: 'carriage returns belong to lines',
    find: '=== carriageReturn ? end - 1 : end',
    replace: '=== carriageReturn ? end : end',
  },
  {
    file: `${simulate}/cut/lines.ts`,
    name: 'a line without a break is lost',
    find: "  if (rest !== '') yield blockOf(rest)\n",
    replace: '',
  },
  {
    file: `${simulate}/cut/lines.ts`,
    name: 'parts of a line are not joined',
    find: 'blockOf(rest + chunk',
    replace: 'blockOf(chunk',
  },
  {
    file: `${simulate}/cut/lines.ts`,
    name: 'empty lines are lines',
    find: 'if (last > start) line',
    replace: 'if (last >= start) line',
  },
  {
    file: `${simulate}/input/log-reader.ts`,
    name: 'comments are skipped lines',
    find: "      if (cut === '') return\n",
    replace: '',
  },
  {
    file: `${simulate}/input/log-reader.ts`,
    name: 'each reason is counted once',
    find: '(counts.skipped.get(cut) ?? 0) + 1',
    replace: '1',
  },
  {
    file: `${simulate}/input/log-reader.ts`,
    name: 'a truncated log is complete',
    find: 'if (this.#log.truncated()) this.#counts.truncated = true\n',
    replace: '',
  },
  {
    file: `${simulate}/input/open.ts`,
    name: 'only broken data is truncated',
    find: "(error.code === 'Z_BUF_ERROR' || error.code === 'Z_DATA_ERROR')",
    replace: "error.code === 'Z_DATA_ERROR'",
  },
  {
    file: `${simulate}/input/open.ts`,
    name: 'only missing data is truncated',
    find: "(error.code === 'Z_BUF_ERROR' || error.code === 'Z_DATA_ERROR')",
    replace: "error.code === 'Z_BUF_ERROR'",
  },
  {
    file: `${simulate}/input/open.ts`,
    name: 'bytes are counted once',
    find: 'bytes += length',
    replace: 'bytes = length',
  },
  {
    file: `${simulate}/order/spread.ts`,
    name: 'the disorder is in milliseconds',
    find: 'latest - disorderMs / 1000',
    replace: 'latest - disorderMs',
  },
  {
    file: `${simulate}/order/spread.ts`,
    name: 'a second that was passed on is open',
    find: 'second <= emitted',
    replace: 'second < emitted',
  },
  {
    file: `${simulate}/order/spread.ts`,
    name: 'records wait without a bound',
    find: '    if (held > maxHeld) emit()\n',
    replace: '',
  },
  {
    file: `${simulate}/order/spread.ts`,
    name: 'records that were passed on still wait',
    find: '    held -= records.length\n',
    replace: '',
  },
  {
    file: `${simulate}/order/spread.ts`,
    name: 'all seconds are passed on with the first',
    find: 'while (seconds.least < end) emit()',
    replace: 'if (seconds.least < end) emit()',
  },
  {
    file: `${simulate}/read-log.ts`,
    name: 'requests wait without a bound',
    find: ' || heap.size > maxHeld',
    replace: '',
  },
  {
    file: `${simulate}/read-log.ts`,
    name: 'requests of one time are late',
    find: 'record.at < emitted',
    replace: 'record.at <= emitted',
  },
  {
    file: `${simulate}/read-log.ts`,
    name: 'late requests are not counted',
    find: '        late++\n',
    replace: '',
  },
  {
    file: `${simulate}/order/heap.ts`,
    name: 'the smaller child is not looked for',
    find: 'right < size && this.#isBefore(right, left) ? right : left',
    replace: 'left',
  },
]
