const cli = 'packages/cli/src'

export const area = 'cli-live'

export const tests = [
  'packages/cli/test/live/key-text packages/cli/test/live/limiters-file packages/cli/test/live/top packages/cli/test/live/page.',
  'packages/cli/test/live/status packages/cli/test/live/acts packages/cli/test/live/rules packages/rules/test/counts-of',
  'packages/cli/test/live',
]

export const mutants = [
  {
    file: `${cli}/reading/key-text.ts`,
    name: 'a shown key is read as plain text',
    find: String.raw`isCounted || /^\||^%[%|#]/.test(text)`,
    replace: 'isCounted',
  },
  {
    file: `${cli}/reading/key-text.ts`,
    name: 'the escapes of a part are undone in the wrong order',
    find: `part.replaceAll('%7C', '|').replaceAll('%25', '%')`,
    replace: `part.replaceAll('%25', '%').replaceAll('%7C', '|')`,
  },
  {
    file: `${cli}/reading/key-text.ts`,
    name: 'a text that begins like a list is a plain key',
    find: 'if (parts === undefined) {',
    replace: 'if (parts === undefined) return argumentOf(text)\n  if (parts === undefined) {',
  },
  {
    file: `${cli}/reading/limiters-file.ts`,
    name: 'of two limiters with one name, the last one counts',
    find: 'known !== undefined && !isSame(known, one)',
    replace: 'known !== undefined && known === one',
  },
  {
    file: `${cli}/live/known-limiter.ts`,
    name: '--policy has no effect',
    find: 'policies.includes(name) ? key : notLimited',
    replace: 'policies.length > 0 ? key : notLimited',
  },
  {
    file: `${cli}/live/known-limiter.ts`,
    name: 'a change concerns only the first limit of a rule',
    find: 'return Array.from({ length: most }, (_, i) => {',
    replace: 'return Array.from({ length: Math.min(1, most) }, (_, i) => {',
  },
  {
    file: `${cli}/live/known-limiter.ts`,
    name: 'a change concerns the counts of all rules',
    find: 'parts === undefined ? named : named.filter((count) => count.fits(parts))',
    replace: 'named',
  },
  {
    file: `${cli}/live/limiter-target.ts`,
    name: 'the memory of the command is read like that of the application',
    find: 'if (isPromise(status)) return',
    replace: 'if (isPromise(status) || name !== "") return',
  },
  {
    file: `${cli}/live/change-counts.ts`,
    name: 'a penalty counts by all limits of a rule',
    find: `act.act === 'penalize' && calls.length > 1`,
    replace: `act.act === 'penalize' && calls.length > 99`,
  },
  {
    file: `${cli}/live/change-counts.ts`,
    name: 'a reset of a blocked key seems done',
    find: 'if (await limiter.reset(keys, { ...options, unblock })) return undefined',
    replace: 'if (true || (await limiter.reset(keys, { ...options, unblock }))) return undefined',
  },
  {
    file: `${cli}/live/scan.ts`,
    name: 'only the first master of a Cluster is searched',
    find: `redis.nodes('master') : [redis]`,
    replace: `redis.nodes('master').slice(0, 1) : [redis]`,
  },
  {
    file: `${cli}/live/scan.ts`,
    name: 'a search does not wait',
    find: 'await delay(Math.max(0, startedAt + stepMs - performance.now()))',
    replace: 'await delay(0)',
  },
  {
    file: `${cli}/live/view-source.ts`,
    name: 'a connection to Redis that failed is used again',
    find: `        close()
        throw error`,
    replace: `        throw error`,
  },
  {
    file: 'packages/dashboard/src/read-redis-view.ts',
    name: 'processes of another version are not counted',
    find: 'processes: all.length, share',
    replace: 'processes: data.length, share',
  },
  {
    file: `${cli}/live/page-client.ts`,
    name: 'the credentials of the URL are not sent',
    find: `username === '' && password === '' ? {} : { authorization: basicOf(base) }`,
    replace: '{}',
  },
  {
    file: `${cli}/live/page-target.ts`,
    name: 'limiters that are only shown are acted upon',
    find: 'limiters.filter(({ canAct }) => canAct)',
    replace: 'limiters.filter(({ canAct }) => canAct || true)',
  },
  {
    file: `${cli}/live/rates.ts`,
    name: 'the current step alone gives the rate',
    find: 'isOne ? steps - 2 : end - 1',
    replace: 'isOne ? steps - 1 : end - 1',
  },
  {
    file: `${cli}/live/rates.ts`,
    name: 'a step that a process has not written yet gives the rate',
    find: 'currentMs < writtenMs ? 2 : 1',
    replace: 'currentMs < writtenMs ? 1 : 1',
  },
  {
    file: `${cli}/commands/acts.ts`,
    name: 'a reason of spaces is a reason',
    find: `(reason ?? '').trim() === ''`,
    replace: `(reason ?? '') === ''`,
  },
  {
    file: `${cli}/output/top-table.ts`,
    name: 'a table may take the lines of the others',
    find: 'if (left > 0 && given[i] < need) {',
    replace: 'while (left > 0 && given[i] < need) {',
  },
  {
    file: `${cli}/output/screen.ts`,
    name: 'the cursor stays hidden after the end',
    find: 'const leaveScreen = `${escape}?25h${escape}?1049l`',
    replace: 'const leaveScreen = `${escape}?1049l`',
  },
]
