const document = 'packages/rules/src/document'

export const area = 'rules-document'

export const tests = [
  'packages/rules/test/findings packages/rules/test/json-mistakes packages/rules/test/schema packages/rules/test/bounds',
  'packages/rules/test/values packages/rules/test/warnings packages/rules/test/loading/reading packages/rules/test/loading/read-rules-file packages/rules/test/loading/load-rules',
  'packages/rules/test',
]

export const mutants = [
  {
    file: `${document}/syntax.ts`,
    name: 'a text of exactly 10 MB is too large',
    find: 'if (text.length > longestText) {',
    replace: 'if (text.length >= longestText) {',
  },
  {
    file: `${document}/syntax.ts`,
    name: 'a text may nest without a bound',
    find: 'if (parser.stack.length > deepest) return undefined',
    replace: 'if (parser.stack.length > deepest * 1e6) return undefined',
  },
  {
    file: `${document}/syntax.ts`,
    name: 'aliases may multiply a document',
    find: 'maxAliasCount: mostAliases,',
    replace: 'maxAliasCount: -1,',
  },
  {
    file: `${document}/syntax.ts`,
    name: 'a document may contain itself',
    find: 'if (hasAnchors && isCyclic(',
    replace: 'if (!hasAnchors && isCyclic(',
  },
  {
    file: `${document}/syntax.ts`,
    name: 'a second document is ignored',
    find: 'else more ??= next.range[0]',
    replace: 'else more ??= undefined',
  },
  {
    file: `${document}/syntax.ts`,
    name: 'of two members of one name in JSON the last counts',
    find: "find(({ code }) => code === 'DUPLICATE_KEY')",
    replace: "find(({ code }) => code === 'BAD_ALIAS')",
  },
  {
    file: `${document}/syntax.ts`,
    name: 'a mark of the byte order is a mistake in JSON',
    find: "JSON.parse(text.replace(/^\\uFEFF/, ''))",
    replace: 'JSON.parse(text)',
  },
  {
    file: `${document}/syntax.ts`,
    name: 'a mistake in an aliased part has the position of the alias',
    find: "isNode(holder) && 'source' in holder && 'resolve' in holder",
    replace: "isNode(holder) && 'source' in holder && 'resolved' in holder",
  },
  {
    file: `${document}/json-mistake.ts`,
    name: 'a mistake at the end has a position behind the text',
    find: 'return Math.min(Number(position), end)',
    replace: 'return Number(position)',
  },
  {
    file: `${document}/missing-anchor.ts`,
    name: 'the first alias is called the missing one',
    find: '      if (anchors.has(node.source)) return undefined\n',
    replace: '',
  },
  {
    file: `${document}/shape.ts`,
    name: 'a member "__proto__" is dropped',
    find: 'if (dropped !== undefined) {',
    replace: 'if (dropped === path) {',
  },
  {
    file: `${document}/shape.ts`,
    name: 'a number in quotes is told as a number that is wrong',
    find: 'isQuoted && /^a (?:whole )?number\\b/.test(expected)',
    replace: '!isQuoted && /^a (?:whole )?number\\b/.test(expected)',
  },
  {
    file: `${document}/shape.ts`,
    name: 'an alternative with a missing member is as probable as one without',
    find: 'Number(lacksMember(a, value)) - Number(lacksMember(b, value)) || a.length - b.length',
    replace: 'a.length - b.length',
  },
  {
    file: `${document}/shape.ts`,
    name: 'a missing member is told as a wrong value of the parent',
    find: "if (value === undefined && typeof word === 'string') {",
    replace: "if (value === null && typeof word === 'string') {",
  },
  {
    file: `${document}/shaped-document.ts`,
    name: '10,000 rules are too many',
    find: 'if (rules.length > mostRules) {',
    replace: 'if (rules.length >= mostRules) {',
  },
  {
    file: `${document}/shaped-document.ts`,
    name: 'files of overrides are not read',
    find: 'const files = [...lists, ...overrides].map(',
    replace: 'const files = [...lists].map(',
  },
  {
    file: `${document}/shaped-document.ts`,
    name: 'the rules of a document with another mistake are not checked',
    find: '    const rules = rulesOf(read.value).map((rule, number) => shapeRule(rule, number, read))\n',
    replace: '    const rules: ShapedRule[] = []\n',
  },
  {
    file: `${document}/findings.ts`,
    name: 'a place with a dot has the form of two members',
    find: 'else if (!/^[\\w-]+$/.test(step)) text',
    replace: 'else if (!/^[\\w.-]+$/.test(step)) text',
  },
  {
    file: `${document}/findings.ts`,
    name: 'a warning refuses a document',
    find: "this.list.some(({ severity }) => severity === 'error')",
    replace: 'this.list.length > 0',
  },
  {
    file: `${document}/schema.ts`,
    name: 'a line break in an id is in the headers',
    find: '(?=\\P{Cc}*$)',
    replace: '',
  },
  {
    file: `${document}/schema.ts`,
    name: 'a name of 65 characters is a name',
    find: '[\\p{L}\\p{N}_-]{0,63}$/u',
    replace: '[\\p{L}\\p{N}_-]{0,64}$/u',
  },
  {
    file: `${document}/schema.ts`,
    name: 'a denial may have the status 200',
    find: 'z.int().min(400).max(599)',
    replace: 'z.int().min(200).max(599)',
  },
  {
    file: `${document}/schema.ts`,
    name: 'a challenge may change its type',
    find: "!('type' in details)",
    replace: "!('types' in details)",
  },
  {
    file: `${document}/schema.ts`,
    name: 'a predicate without an operator holds for all',
    find: '.refine((operators) => Object.keys(operators).length > 0,',
    replace: '.refine((operators) => Object.keys(operators).length >= 0,',
  },
  {
    file: 'packages/rules/src/compile/parse.ts',
    name: 'the version depends on the order of the files',
    find: '[...files].toSorted(([a], [b]) => (a < b ? -1 : 1))',
    replace: '[...files]',
  },
  {
    file: 'packages/rules/src/compile/parse.ts',
    name: 'a list that changes leaves the version as it is',
    find: 'hash.update(`\\0${name}\\0${content}`)',
    replace: 'hash.update(`\\0${name}\\0`)',
  },
]
