const simulate = 'packages/cli/src/simulate'

export const area = 'simulate-times'

export const tests = [
  'packages/cli/test/simulate/cutters packages/cli/test/simulate/detect packages/cli/test/simulate/times packages/cli/test/simulate/order packages/cli/test/simulate/stages',
  'packages/cli/test/simulate/input packages/cli/test/simulate/samples packages/cli/test/simulate/live',
  'packages/cli/test',
]

export const mutants = [
  {
    file: `${simulate}/cut/log-time.ts`,
    name: 'zones are added',
    find: '* 1000 - this.#zoneMs',
    replace: '* 1000 + this.#zoneMs',
  },
  {
    file: `${simulate}/cut/log-time.ts`,
    name: '31 February is a day',
    find: 'time.getUTCDate() === day ? time.getTime() : -1',
    replace: 'time.getTime()',
  },
  {
    file: `${simulate}/cut/cut-line.ts`,
    name: 'a request can begin before 1970',
    find: 'time - durationMs >= 0',
    replace: 'time >= 0',
  },
  {
    file: `${simulate}/cut/cut-line.ts`,
    name: 'a time after the year 6399 is a time',
    find: 'time <= latestTime',
    replace: 'time > 0',
  },
  {
    file: `${simulate}/cut/cut-line.ts`,
    name: 'a line can have any length',
    find: "if (end - start > longestLine) return 'too long'\n",
    replace: '',
  },
  {
    file: `${simulate}/cut/any-time.ts`,
    name: 'an offset needs a colon',
    find: '[+-]\\d{2}:?\\d{2})$/.test(iso)',
    replace: '[+-]\\d{2}:\\d{2})$/.test(iso)',
  },
  {
    file: `${simulate}/cut/any-time.ts`,
    name: 'a time without a zone is local',
    find: '? iso : `${iso}Z`)',
    replace: '? iso : iso)',
  },
  {
    file: `${simulate}/cut/any-time.ts`,
    name: 'nanoseconds are microseconds',
    find: 'value < 1e17 ? value / 1000 : value / 1e6',
    replace: 'value / 1000',
  },
  {
    file: `${simulate}/cut/any-time.ts`,
    name: 'milliseconds are seconds',
    find: 'if (value < 1e11) return',
    replace: 'if (value < 1e13) return',
  },
  {
    file: `${simulate}/cut/any-time.ts`,
    name: '31 February is a day in ISO 8601',
    find: ' || !isDate(iso)',
    replace: '',
  },
  {
    file: `${simulate}/cut/any-time.ts`,
    name: 'a microsecond is a millisecond',
    find: 'us: 1e-3, µs',
    replace: 'us: 1, µs',
  },
  {
    file: `${simulate}/cut/any-time.ts`,
    name: 'durations of Traefik are milliseconds',
    find: "if (field === 'Duration') return 'ns'\n",
    replace: '',
  },
  {
    file: `${simulate}/cut/any-time.ts`,
    name: 'a duration with a fraction is in milliseconds',
    find: ' || !Number.isInteger(number)',
    replace: '',
  },
  {
    file: `${simulate}/cut/detect.ts`,
    name: 'a format has to fit all of the first lines',
    find: 'records.length * 2 < lines',
    replace: 'records.length < lines',
  },
  {
    file: `${simulate}/cut/detect.ts`,
    name: 'the last of several formats wins',
    find: 'b.records.length > a.records.length',
    replace: 'b.records.length >= a.records.length',
  },
  {
    file: `${simulate}/cut/detect.ts`,
    name: 'one whole second makes a log of whole seconds',
    find: 'records.every(',
    replace: 'records.some(',
  },
  {
    file: `${simulate}/cut/detect.ts`,
    name: 'durations are needed in all lines',
    find: 'records.some(({ durationMs',
    replace: 'records.every(({ durationMs',
  },
  {
    file: `${simulate}/cut/detect.ts`,
    name: 'other formats compete with the one of nginx',
    find: 'if (nginxFormat !== undefined) return nginx\n',
    replace: '',
  },
  {
    file: `${simulate}/cut/lacking-fields.ts`,
    name: 'names in objects are not shown',
    find: 'depth < 3',
    replace: 'depth < 1',
  },
  {
    file: `${simulate}/read-log.ts`,
    name: 'all errors are answers of a limiter',
    find: 'record.status === 429',
    replace: 'record.status >= 400',
  },
  {
    file: `${simulate}/read-log.ts`,
    name: 'requests of whole seconds are in the order of their ends',
    find: 'hasDurations || !wholeSeconds',
    replace: '!wholeSeconds',
  },
  {
    file: `${simulate}/read-log.ts`,
    name: 'logs with milliseconds are spread',
    find: 'spread: wholeSeconds && spread',
    replace: 'spread',
  },
  {
    file: `${simulate}/read-log.ts`,
    name: 'all logs need whole seconds',
    find: 'known.some(({ wholeSeconds })',
    replace: 'known.every(({ wholeSeconds })',
  },
  {
    file: `${simulate}/read-log.ts`,
    name: 'the first line is the earliest',
    find: 'batch.reduce((earliest, { time }) => Math.min(earliest, time), Infinity)',
    replace: 'batch[0].time',
  },
  {
    file: `${simulate}/read-log.ts`,
    name: 'requests are replayed at their end',
    find: 'record.time - (record.durationMs ?? 0)',
    replace: 'record.time',
  },
  {
    file: `${simulate}/read-log.ts`,
    name: 'only late lines of the first stage count',
    find: 'stages.reduce((sum, { late }) => sum + late, 0)',
    replace: 'stages[0].late',
  },
]
