const cli = 'packages/cli/src'

export const area = 'cli'

export const tests = [
  'packages/cli/test/check packages/cli/test/output packages/cli/test/against packages/cli/test/request',
  'packages/cli/test/explain packages/cli/test/redis',
  'packages/cli/test',
]

export const mutants = [
  {
    file: `${cli}/commands/check.ts`,
    name: 'warnings fail a check without --strict',
    find: 'strict && warnings > 0 ? 2 : 0',
    replace: 'warnings > 0 ? 2 : 0',
  },
  {
    file: `${cli}/commands/check.ts`,
    name: 'warnings win over errors',
    find: 'errors > 0 ? 1 : strict && warnings > 0 ? 2 : 0',
    replace: 'strict && warnings > 0 ? 2 : errors > 0 ? 1 : 0',
  },
  {
    file: `${cli}/commands/check.ts`,
    name: 'each document is compared with the same one',
    find: 'against !== undefined && files.length > 1',
    replace: 'against !== undefined && files.length > 2',
  },
  {
    file: `${cli}/reading/document.ts`,
    name: 'a mistake in a list file has the name of the document',
    find: 'if (!files.has(finding.path)) return { ...finding, file }',
    replace: 'if (finding.path !== undefined) return { ...finding, file }',
  },
  {
    file: `${cli}/reading/document.ts`,
    name: 'a list file is named relative to the document',
    find: 'isAbsolute(own) ? own : join(dirname(name), own)',
    replace: 'isAbsolute(own) ? own : join(own)',
  },
  {
    file: `${cli}/text/visible.ts`,
    name: 'control characters reach the terminal',
    find: 'const hidden = /[\\p{Cc}\\p{Cf}',
    replace: 'const hidden = /[\\p{Cf}',
  },
  {
    file: `${cli}/text/visible.ts`,
    name: 'JSON has direction marks',
    find: 'const hiddenInJson = /(?!\\n)[\\p{Cc}\\p{Cf}',
    replace: 'const hiddenInJson = /(?!\\n)[\\p{Cc}',
  },
  {
    file: `${cli}/output/style.ts`,
    name: 'NO_COLOR is not heard',
    find: " && NO_COLOR === ''",
    replace: '',
  },
  {
    file: `${cli}/output/style.ts`,
    name: 'a pipe gets colors',
    find: 'output.isTTY === true && ',
    replace: '',
  },
  {
    file: `${cli}/output/check-github.ts`,
    name: 'a percent sign is no escape for GitHub',
    find: ".replaceAll('%', '%25')",
    replace: '',
  },
  {
    file: `${cli}/output/check-github.ts`,
    name: 'a file name ends a property of an annotation',
    find: ".replaceAll(':', '%3A').replaceAll(',', '%2C')",
    replace: ".replaceAll(':', '%3A')",
  },
  {
    file: `${cli}/reading/request.ts`,
    name: 'names of headers are as they are typed',
    find: 'const key = name.toLowerCase()',
    replace: 'const key = name',
  },
  {
    file: `${cli}/reading/request.ts`,
    name: 'the last of several options wins',
    find: 'return [...earlier, [text',
    replace: 'return [[text',
  },
  {
    file: `${cli}/reading/request.ts`,
    name: 'any text is an address',
    find: 'if (addressSortKey(text) !== undefined) return text',
    replace: "if (text !== '') return text",
  },
  {
    file: `${cli}/reading/request.ts`,
    name: 'the host of a URL is lost',
    find: " ?? headers.get('host') ?? request?.host",
    replace: " ?? headers.get('host')",
  },
  {
    file: `${cli}/commands/explain.ts`,
    name: 'secrets are shown',
    find: 'const { show = false, format',
    replace: 'const { show = true, format',
  },
  {
    file: `${cli}/commands/explain.ts`,
    name: 'the time of the request is now',
    find: 'const at = options.at ?? Date.now()',
    replace: 'const at = Date.now()',
  },
  {
    file: `${cli}/reading/counts.ts`,
    name: 'counts of another store are taken for those of Redis',
    find: 'if (!isRead) throw',
    replace: "if (url === '') throw",
  },
  {
    file: `${cli}/reading/redis.ts`,
    name: 'the password of Redis is printed',
    find: ".replace(/^(.*?\\/\\/)?.*@/s, '$1')",
    replace: '',
  },
  {
    file: `${cli}/reading/counts.ts`,
    name: 'the prefix is not used',
    find: '...(prefix === undefined ? {} : { prefix }),',
    replace: '',
  },
  {
    file: `${cli}/reading/counts.ts`,
    name: 'the counts are those of now',
    find: '...(at === undefined ? {} : { clock: () => at }),',
    replace: '',
  },
  {
    file: `${cli}/output/explain-text.ts`,
    name: 'the limit that an override replaces is not named',
    find: 'own === undefined ? ',
    replace: 'own !== null ? ',
  },
  {
    file: `${cli}/commands/check.ts`,
    name: 'the document in use may have mistakes',
    find: 'if (rules !== undefined && text !== undefined) return',
    replace: 'if (text !== undefined) return',
  },
  {
    file: `${cli}/commands/explain.ts`,
    name: 'a document with mistakes is explained',
    find: '    terminal.exitCode = 1\n',
    replace: '',
  },
  {
    file: `${cli}/commands/explain.ts`,
    name: 'an address that is missing has no hint',
    find: "error.code === 'SLUICE_ADDRESS_MISSING'",
    replace: "error.code === 'SLUICE_ADDRESS_INVALID'",
  },
  {
    file: `${cli}/commands/explain.ts`,
    name: 'Redis is read for refused requests',
    find: " || explanation.type !== 'ask'",
    replace: '',
  },
  {
    file: `${cli}/reading/document.ts`,
    name: 'the standard input is named -',
    find: "name === standardInput ? 'stdin' : name",
    replace: 'name',
  },
  {
    file: `${cli}/reading/input.ts`,
    name: 'the standard input is read again',
    find: '(read ??= text(stdin))',
    replace: '(read = text(stdin))',
  },
  {
    file: `${cli}/reading/request.ts`,
    name: 'methods are as they are typed',
    find: 'method.toUpperCase()',
    replace: 'method',
  },
  {
    file: `${cli}/reading/request.ts`,
    name: 'a request line can have more words',
    find: 'words.length > 2 || ',
    replace: '',
  },
  {
    file: `${cli}/reading/request.ts`,
    name: 'the last of several cookies wins',
    find: 'cookie.toReversed()',
    replace: 'cookie',
  },
  {
    file: `${cli}/reading/request.ts`,
    name: 'cookies can be headers',
    find: "if (headers.has('cookie')) {",
    replace: "if (headers.has('cookies')) {",
  },
  {
    file: `${cli}/reading/request.ts`,
    name: 'a URL without a path has none',
    find: "path.startsWith('/') ? path : `/${path}`",
    replace: 'path',
  },
  {
    file: `${cli}/reading/request.ts`,
    name: 'values have spaces around them',
    find: 'text.slice(at + 1).trim()',
    replace: 'text.slice(at + 1)',
  },
  {
    file: `${cli}/reading/redis.ts`,
    name: 'the query of a URL is printed',
    find: ".replace(/[?#].*$/s, '')",
    replace: '',
  },
  {
    file: `${cli}/program.ts`,
    name: 'errors of the command line exit with 0',
    find: 'terminal.exitCode = error.exitCode',
    replace: 'terminal.exitCode = 0',
  },
  {
    file: `${cli}/program.ts`,
    name: 'errors reach the terminal as they are',
    find: '.map(visible)',
    replace: '',
  },
]
