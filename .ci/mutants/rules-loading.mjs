const loading = 'packages/rules/src/loading'

export const area = 'rules-loading'

export const tests = [
  'packages/rules/test/loading/rule-loader packages/rules/test/loading/refresh packages/rules/test/loading/incomplete packages/rules/test/loading/facts-of-request packages/rules/test/loading/load-rules packages/rules/test/loading/poll-source',
  'packages/rules/test/loading/limiter packages/rules/test/loading/file-source',
]

export const mutants = [
  {
    file: `${loading}/rule-loader.ts`,
    name: 'a rejected document is compiled at every read',
    find: '    seen = content.version\n',
    replace: '',
  },
  {
    file: `${loading}/rule-loader.ts`,
    name: 'a document of another name is used',
    find: '    assertSameName(before, set)\n',
    replace: '',
  },
  {
    file: `${loading}/rule-loader.ts`,
    name: 'the last good document is not remembered',
    find: '    good = content\n',
    replace: '',
  },
  {
    file: `${loading}/rule-loader.ts`,
    name: 'rules stay stale after the source has recovered',
    find: '    unreadable.clear()\n',
    replace: '',
  },
  {
    file: `${loading}/rule-loader.ts`,
    name: 'rules stay stale after a valid document',
    find: '    rejected.clear()\n',
    replace: '',
  },
  {
    file: `${loading}/rule-loader.ts`,
    name: 'a removed rule keeps its counters, and the others lose theirs',
    find: 'compile(content, before?.stats)',
    replace: 'compile(content, undefined)',
  },
  {
    file: `${loading}/refresh.ts`,
    name: 'a source that hangs is read a second time',
    find: 'if (isReading) throw',
    replace: 'if (isClosed) throw',
  },
  {
    file: `${loading}/refresh.ts`,
    name: 'a source that recovered is polled slowly',
    find: '    failures = 0\n',
    replace: '',
  },
  {
    file: `${loading}/refresh.ts`,
    name: 'each report of a change leads to a read',
    find: '    if (isQueued) return\n',
    replace: '',
  },
  {
    file: `${loading}/refresh.ts`,
    name: 'a read that took too long is not aborted',
    find: '      controller.abort(error)\n',
    replace: '',
  },
  {
    file: `${loading}/sources/file-source.ts`,
    name: 'a file that is being written is used',
    find: 'if (areSame(found.states, later)) return',
    replace: 'return',
  },
  {
    file: `${loading}/sources/file-source.ts`,
    name: 'a file that has just changed is trusted by its times',
    find: '  if (states.some((state) => isRecent(state, at))) return false\n',
    replace: '',
  },
  {
    file: `${loading}/sources/file-source.ts`,
    name: 'a file that is missing for a moment fails the read',
    find: 'if (isLast || signal.aborted) throw error',
    replace: 'throw error',
  },
  {
    file: `${loading}/sources/document-files.ts`,
    name: 'symbolic links are followed once',
    find: 'const realPath = await realpath(path)',
    replace: 'const realPath = path',
  },
  {
    file: `${loading}/sources/document-files.ts`,
    name: 'files are found beside the symbolic link only',
    find: 'return isThere ? beside : join(dirname(path), name)',
    replace: 'return join(dirname(path), name)',
  },
  {
    file: `${loading}/keep.ts`,
    name: 'a kept document that was edited is used',
    find: 'if (content.version !== version) throw',
    replace: "if (version === '') throw",
  },
  {
    file: `${loading}/keep.ts`,
    name: 'an unchanged document is kept again',
    find: '      if (content.version === written) return\n',
    replace: '',
  },
  {
    file: `${loading}/incomplete.ts`,
    name: 'the mark of the end means nothing',
    find: '  if (/(?:^|\\n)\\.\\.\\.\\s*$/.test(text)) return 2\n',
    replace: '',
  },
  {
    file: `${loading}/failures.ts`,
    name: 'a failure that lasts is told again and again',
    find: 'told.has(failure) || ',
    replace: '',
  },
  {
    file: `${loading}/facts-of-request.ts`,
    name: 'a header that every object inherits is read',
    find: 'Object.hasOwn(headers, name) ? headers[name] : undefined',
    replace: 'headers[name]',
  },
  {
    file: `${loading}/load-rules.ts`,
    name: 'a required value without a function is found by the requests',
    find: 'if (values !== undefined) checkFunctions(parsed, values)\n',
    replace: '',
  },
  {
    file: `${loading}/limiter/exceeded-rules.ts`,
    name: 'exceeded rules come in the order of their costs',
    find: 'return rules.flatMap(({ id }) => exceeded.get(id) ?? [])',
    replace: 'return rules.length > 0 ? [...exceeded.values()] : []',
  },
  {
    file: `${loading}/limiter/exceeded-rules.ts`,
    name: 'rules with a tag are never exceeded',
    find: '...judgement.enforced, ...judgement.tagging',
    replace: '...judgement.enforced',
  },
  {
    file: `${loading}/limiter/rule-limiter.ts`,
    name: 'units that are counted by hand do not count in shadow rules',
    find: ', ...shadow, ',
    replace: ', ',
  },
  {
    file: `${loading}/limiter/peeking.ts`,
    name: 'a peek fills the statistics',
    find: ', shadow: [] }',
    replace: ', shadow: judgement.shadow }',
  },
]
