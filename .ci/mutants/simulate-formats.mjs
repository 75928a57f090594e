const simulate = 'packages/cli/src/simulate'

export const area = 'simulate-formats'

export const tests = ['packages/cli/test/simulate/cutters', 'packages/cli/test/simulate/samples']

export const mutants = [
  {
    file: `${simulate}/cut/text.ts`,
    name: 'an escaped quote ends a field',
    find: 'return backslashes % 2 === 1',
    replace: 'return false',
  },
  {
    file: `${simulate}/cut/w3c.ts`,
    name: 'fields are not decoded',
    find: 'bytes === undefined ? undefined : textOf(bytes)',
    replace: 'bytes',
  },
  {
    file: `${simulate}/cut/combined.ts`,
    name: 'the user ends with a space',
    find: 'ident + 1, this.#bracket - 1',
    replace: 'ident + 1, this.#bracket',
  },
  {
    file: `${simulate}/cut/combined.ts`,
    name: 'referer and user agent change places',
    find: "const range = name === 'referer'",
    replace: "const range = name !== 'referer'",
  },
  {
    file: `${simulate}/cut/combined.ts`,
    name: 'a space ends the URL',
    find: "const urlEnd = text.lastIndexOf(' ', requestEnd)",
    replace: "const urlEnd = text.indexOf(' ', methodEnd + 1)",
  },
  {
    file: `${simulate}/cut/combined.ts`,
    name: 'combined lines need no referer',
    find: "if (withHeaders && !hasHeaders(text, afterStatus, end)) return 'no referer and user agent'\n",
    replace: '',
  },
  {
    file: `${simulate}/cut/alb.ts`,
    name: 'the address ends at its first colon',
    find: "address.lastIndexOf(':')",
    replace: "address.indexOf(':')",
  },
  {
    file: `${simulate}/cut/alb.ts`,
    name: 'the status is that of the target',
    find: 'Number(values[8])',
    replace: 'Number(values[9])',
  },
  {
    file: `${simulate}/cut/alb.ts`,
    name: 'the creation of the request is ignored',
    find: 'created === undefined ? undefined',
    replace: 'created !== -1 ? undefined',
  },
  {
    file: `${simulate}/cut/w3c.ts`,
    name: 'the units of durations change places',
    find: "format === 'w3c' ? 'time_ms' : 'request_time'",
    replace: "format === 'w3c' ? 'request_time' : 'time_ms'",
  },
  {
    file: `${simulate}/cut/w3c.ts`,
    name: 'the query is lost',
    find: 'query === undefined ? path',
    replace: 'query !== path ? path',
  },
  {
    file: `${simulate}/cut/w3c.ts`,
    name: 'IIS writes no spaces',
    find: "bytes.replaceAll('+', ' ')",
    replace: 'bytes',
  },
  {
    file: `${simulate}/cut/w3c.ts`,
    name: 'later #Fields are ignored',
    find: "if (text.startsWith('#Fields:', start)) {",
    replace: "if (names.length === 0 && text.startsWith('#Fields:', start)) {",
  },
  {
    file: `${simulate}/cut/nginx.ts`,
    name: 'the last variable ends at the first such text',
    find: 'isLast ? lastPlace(literal, text, end) : text.indexOf(literal, at)',
    replace: 'text.indexOf(literal, at)',
  },
  {
    file: `${simulate}/cut/nginx.ts`,
    name: 'the URL begins with a space',
    find: 'request.slice(first + 1, last)',
    replace: 'request.slice(first, last)',
  },
  {
    file: `${simulate}/cut/nginx.ts`,
    name: 'headers are variables without http_',
    find: '`http_${field',
    replace: '`${field',
  },
  {
    file: `${simulate}/cut/json.ts`,
    name: 'a start time is an end',
    find: 'isStart ? (durationMs ?? 0) : 0',
    replace: '0',
  },
  {
    file: `${simulate}/cut/json.ts`,
    name: 'names of headers have their case',
    find: 'given.toLowerCase() === name',
    replace: 'given === name',
  },
  {
    file: `${simulate}/cut/json.ts`,
    name: 'IPv6 addresses with a port are lost',
    find: 'match[1] ?? match[2]',
    replace: 'match[2]',
  },
  {
    file: `${simulate}/cut/json-fields.ts`,
    name: 'null is a value',
    find: 'value !== undefined && value !== null &&',
    replace: 'value !== undefined &&',
  },
  {
    file: `${simulate}/cut/json-fields.ts`,
    name: 'a name with dots is always a path',
    find: '  if (Object.hasOwn(line, whole)) return line[whole]\n',
    replace: '',
  },
  {
    file: `${simulate}/cut/json-fields.ts`,
    name: 'the usual names count beside given ones',
    find: 'name === undefined ? usual[field] : [name]',
    replace: 'name === undefined ? usual[field] : [name, ...usual[field]]',
  },
  {
    file: `${simulate}/cut/text.ts`,
    name: 'texts are Latin-1',
    find: 'if (bytes.charCodeAt(i) > 127)',
    replace: 'if (bytes.charCodeAt(i) > 255)',
  },
  {
    file: `${simulate}/cut/text.ts`,
    name: 'escapes in hexadecimal are decimal',
    find: 'Number.parseInt(hex, 16)',
    replace: 'Number.parseInt(hex, 10)',
  },
]
