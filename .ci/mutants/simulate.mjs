const simulate = 'packages/cli/src/simulate'

export const area = 'simulate'

export const tests = [
  'packages/cli/test/simulate/keys packages/cli/test/simulate/leases packages/cli/test/simulate/report packages/cli/test/simulate/outputs packages/cli/test/simulate/order',
  'packages/cli/test/simulate/input packages/cli/test/simulate/live packages/cli/test/simulate/golden packages/cli/test/simulate/rules',
]

export const mutants = [
  {
    file: `${simulate}/checks.ts`,
    name: 'short windows are replayed from whole seconds',
    find: 'wholeSeconds && !force',
    replace: 'wholeSeconds && force',
  },
  {
    file: `${simulate}/replay.ts`,
    name: 'a lease ends after its last millisecond',
    find: 'ends.least <= record.at',
    replace: 'ends.least < record.at',
  },
  {
    file: `${simulate}/replay.ts`,
    name: 'a lease ends with its request',
    find: 'ends.push(record.at + (record.durationMs ?? 0), lease.release)',
    replace: 'ends.push(record.at, lease.release)',
  },
  {
    file: `${simulate}/replay.ts`,
    name: 'all keys are in the sample',
    find: '    if (!sample.has(text)) return\n',
    replace: '',
  },
  {
    file: `${simulate}/replay.ts`,
    name: 'requests without the key are not counted',
    find: '      unkeyed++\n',
    replace: '',
  },
  {
    file: `${simulate}/keys.ts`,
    name: 'hosts have their case',
    find: 'present(host?.toLowerCase())',
    replace: 'present(host)',
  },
  {
    file: `${simulate}/keys.ts`,
    name: 'the query is part of a path',
    find: 'present(pathOf(url))',
    replace: 'present(url)',
  },
  {
    file: `${simulate}/keys.ts`,
    name: 'lists of fields are joined to one text',
    find: 'JSON.stringify(parts)',
    replace: "parts.join('')",
  },
  {
    file: `${simulate}/keys.ts`,
    name: 'a request can lack a part of its key',
    find: 'if (part === undefined) return undefined\n    parts.push(part)',
    replace: "parts.push(part ?? '')",
  },
  {
    file: `${simulate}/client-of.ts`,
    name: 'IPv6 addresses are their own clients',
    find: "ipKey(address).slice('ip:'.length)",
    replace: 'address',
  },
  {
    file: `${simulate}/sample.ts`,
    name: 'more keys are in the sample than stated',
    find: 'hash.high >>> 0 < bound',
    replace: 'hash.high < bound',
  },
  {
    file: `${simulate}/checks.ts`,
    name: 'a limit that recovers in five seconds is too short',
    find: 'recoveryMs >= shortestRecoveryMs',
    replace: 'recoveryMs > shortestRecoveryMs',
  },
  {
    file: `${simulate}/checks.ts`,
    name: 'leases need no durations',
    find: '!precision.hasDurations && ',
    replace: 'precision.force && ',
  },
  {
    file: `${simulate}/checks.ts`,
    name: 'a variant without its field is replayed if it may be absent',
    find: "missing !== 'error'",
    replace: "missing === 'skip'",
  },
  {
    file: `${simulate}/simulate.ts`,
    name: 'requests over time are those of the first variant',
    find: 'const pushes = [count]\n',
    replace: "const pushes: GroupReplay['push'][] = []\n",
  },
]
