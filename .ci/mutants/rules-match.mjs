const match = 'packages/rules/src/match'

export const area = 'rules-match'

export const tests = [
  'packages/rules/test/schedules packages/rules/test/lists packages/rules/test/predicates packages/rules/test/values packages/rules/test/single-values packages/rules/test/long-values packages/rules/test/paths',
  'packages/rules/test/findings packages/rules/test/bounds packages/rules/test/index-work packages/rules/test/explain packages/rules/test/check-rules',
  'packages/rules/test',
]

export const mutants = [
  {
    file: `${match}/lists.ts`,
    name: 'a list may have one entry more',
    find: 'if (size >= mostEntries) {',
    replace: 'if (size > mostEntries) {',
  },
  {
    file: `${match}/lists.ts`,
    name: 'a hash within an entry begins a comment',
    find: 'whole.slice(quotes).search(/(?:^|\\s)#/)',
    replace: 'whole.slice(quotes).search(/#/)',
  },
  {
    file: `${match}/lists.ts`,
    name: 'ranges are lost when runs are merged',
    find: '  while (j < right.length) merged.push(right[j++])\n',
    replace: '',
  },
  {
    file: `${match}/lists.ts`,
    name: 'ranges are lost when the number of runs is odd',
    find: 'for (let i = 0; i < runs.length; i += 2) {',
    replace: 'for (let i = 0; i + 1 < runs.length; i += 2) {',
  },
  {
    file: `${match}/lists.ts`,
    name: 'the entries of a list are compared as they are written',
    find: 'spellings.set(spell, (known = new Set([...texts].map(spell))))',
    replace: 'spellings.set(spell, (known = texts))',
  },
  {
    file: `${match}/lists.ts`,
    name: 'an empty text is an entry',
    find: "if (entry === '') return 'a text that is not empty'",
    replace: "if (entry === ' ') return 'a text that is not empty'",
  },
  {
    file: `${match}/lists.ts`,
    name: 'the lines of a file are counted from 0',
    find: 'yield { line, entry }',
    replace: 'yield { line: line - 1, entry }',
  },
  {
    file: `${match}/schedule.ts`,
    name: 'a schedule includes its end',
    find: 'if (now < end) return { active: true',
    replace: 'if (now <= end) return { active: true',
  },
  {
    file: `${match}/schedule.ts`,
    name: 'an answer holds for a moment too long',
    find: 'now >= known.until',
    replace: 'now > known.until',
  },
  {
    file: `${match}/schedule.ts`,
    name: 'an answer holds for a clock that stepped back',
    find: 'if (now < known.from || now >=',
    replace: 'if (now >=',
  },
  {
    file: `${match}/schedule.ts`,
    name: 'an exception is a usual day',
    find: ' || except.has(textOf(date))) continue',
    replace: ') continue',
  },
  {
    file: `${match}/schedule.ts`,
    name: 'days may not go over the end of the week',
    find: '((last - first + 7) % 7) + 1',
    replace: 'Math.max(0, last - first) + 1',
  },
  {
    file: `${match}/schedule.ts`,
    name: 'a schedule that is always or never active is no mistake',
    find: 'if (from === to) {',
    replace: "if (from === to && from === '') {",
  },
  {
    file: `${match}/value-field.ts`,
    name: 'a required value may be absent',
    find: 'if (!required) return undefined',
    replace: "if (!required || value === '') return undefined",
  },
  {
    file: `${match}/value-field.ts`,
    name: 'a value that is not in the list is accepted',
    find: '(oneOf === undefined || isOneOf(oneOf, value))',
    replace: '(oneOf === undefined || oneOf.length > 0)',
  },
  {
    file: `${match}/value-field.ts`,
    name: 'infinity is a number',
    find: "typeof value === 'number' && Number.isFinite(value)",
    replace: "typeof value === 'number'",
  },
  {
    file: `${match}/predicates/conditions.ts`,
    name: 'an error of one predicate hides that another fails',
    find: '      if (!conditions[i].holds(context)) return false\n    } catch (error) {\n      if (error === suspended) throw error\n',
    replace:
      '      if (!conditions[i].holds(context)) return false\n    } catch (error) {\n      throw error\n',
  },
  {
    file: `${match}/predicates/conditions.ts`,
    name: 'an error of one alternative hides that another holds',
    find: '      if (conditions[i].holds(context)) return true\n    } catch (error) {\n      if (error === suspended) throw error\n',
    replace:
      '      if (conditions[i].holds(context)) return true\n    } catch (error) {\n      throw error\n',
  },
  {
    file: `${match}/predicates/conditions.ts`,
    name: 'one of several values is certain',
    find: "return !certain && value.some((one) => one !== '' && operator.test(one))",
    replace: "return value.some((one) => one !== '' && operator.test(one))",
  },
  {
    file: `${match}/paths/path-match.ts`,
    name: 'one of several paths is enough only for the first pattern',
    find: 'numbers.some((number) => fits.has(number))',
    replace: 'fits.has(numbers[0])',
  },
  {
    file: `${match}/predicates/conditions.ts`,
    name: 'all schedules have to be active',
    find: 'schedules.some((schedule) => schedule.activeAt(now))',
    replace: 'schedules.every((schedule) => schedule.activeAt(now))',
  },
  {
    file: `${match}/predicates/predicate.ts`,
    name: 'an exemption of requests without a path is one of unusual paths',
    find: 'certain && !operators.present ? opposite : field',
    replace: 'field',
  },
  {
    file: `${match}/predicates/predicate.ts`,
    name: 'a limit and an exemption share a condition',
    find: '`${certain} ${JSON.stringify(predicate)}`',
    replace: 'JSON.stringify(predicate)',
  },
  {
    file: `${match}/predicates/predicate.ts`,
    name: 'a repeated mistake is told once',
    find: 'if (condition !== undefined && findings.list.length === found) ofField',
    replace: 'if (condition !== undefined) ofField',
  },
  {
    file: `${match}/predicates/operators.ts`,
    name: 'expressions with and without letter case share results',
    find: "`${ignoreCase ? 'i' : 's'}${source.length}:${source}`",
    replace: '`${source.length}:${source}`',
  },
  {
    file: `${match}/predicates/operators.ts`,
    name: 'results of two expressions are mixed',
    find: "${ignoreCase ? 'i' : 's'}${source.length}:${source}",
    replace: "${ignoreCase ? 'i' : 's'}${source}",
  },
  {
    file: `${match}/predicates/operators.ts`,
    name: 'a text with spaces or an exponent is a number',
    find: "typeof value === 'string' && value.length <= 32 && decimal.test(value)",
    replace: "typeof value === 'string' && value !== '' && !Number.isNaN(Number(value))",
  },
  {
    file: `${match}/fields.ts`,
    name: 'a parameter behind a backslash can be a key',
    find: '/(?<!\\\\):([A-Za-z_]\\w*)/g',
    replace: '/:([A-Za-z_]\\w*)/g',
  },
  {
    file: `${match}/fields.ts`,
    name: 'a HEAD request is an error in a key',
    find: "    counted: () => 'GET',\n",
    replace: '',
  },
  {
    file: `${match}/context.ts`,
    name: 'a value that failed is read again',
    find: '    if (known instanceof Failure) throw known.error\n',
    replace: '',
  },
  {
    file: `${match}/candidates/candidate-index.ts`,
    name: 'a source is opened behind its first rule',
    find: 'this.#sources[this.#opened].first <= least',
    replace: 'this.#sources[this.#opened].first < least - 1',
  },
  {
    file: `${match}/candidates/sources.ts`,
    name: 'the rules of several patterns are not in order',
    find: 'return [...numbers].sort((a, b) => a - b)',
    replace: 'return [...numbers]',
  },
  {
    file: `${match}/paths/query.ts`,
    name: 'all parsers read the 1,001st parameter',
    find: "if (usual.length >= mostParameters) texts.push(usual.split('&', mostParameters).join('&'))",
    replace: '',
  },
  {
    file: `${match}/paths/query.ts`,
    name: 'a second question mark belongs to no name',
    find: 'new URLSearchParams(`?${text}`)',
    replace: 'new URLSearchParams(text)',
  },
]
