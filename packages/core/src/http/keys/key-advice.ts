import { byHeader, byRoute, byUser, firstOf } from './key-functions.js'
import { byIp } from './by-ip.js'
import { isList, isRecord } from '../../options/predicates.js'

/** The functions that make key functions, an example call of each, and the fields of a request that it replaces, in lower case and without separators. */
const functions: readonly (readonly [make: unknown, call: string, fields: string])[] = [
  [byIp, 'byIp()', 'ip byip ips ipaddress clientip remoteip remoteaddress xforwardedfor'],
  [
    byUser,
    'byUser((request) => request.user?.id)',
    'user byuser userid username uid account accountid',
  ],
  [byHeader, `byHeader('x-api-key')`, 'apikey xapikey byheader header authorization'],
  [byRoute, 'byRoute()', 'route byroute path url originalurl'],
  [firstOf, 'firstOf(byUser((request) => request.user?.id), byIp())', 'firstof'],
]

const calls = new Map(functions.map(([make, call]) => [make, call]))

const callsByField = new Map(
  functions.flatMap(([, call, fields]) => fields.split(' ').map((field) => [field, call] as const)),
)

/** The advice for the option `key`: call a function that makes key functions, or read a field in place of naming it. */
export function keyAdvice(option: unknown): string | undefined {
  return uncalledKey(option) ?? namedField(option)
}

/**
 * The advice if the option `key`, a part of it or a key of its record is such a function without a call. It would receive the request as its options.
 */
function uncalledKey(option: unknown): string | undefined {
  const parts = [option, ...partsOf(option), ...partsOf(option).flatMap(partsOf)]
  const uncalled = parts.find((part) => calls.has(part))
  return uncalled === undefined ? undefined : `Call it: ${calls.get(uncalled)}`
}

function partsOf(option: unknown): readonly unknown[] {
  return typeof option === 'object' && option !== null ? Object.values(option) : []
}

/** A path into a request, such as `req.body.email` or `params.id`. */
const path =
  /^(?:(req|request|ctx|context)\.|(?=(?:body|query|params|headers|cookies|session|user)\.))[\w$.?]+(?:\['[^']+'\])?$/

/**
 * The advice if the option `key`, or a key of its record, is the name of a field of the request in place of a function that reads the field. Other
 * constants are one key for all requests.
 */
function namedField(option: unknown): string | undefined {
  const keys = isRecord(option) ? Object.values(option) : [option]
  for (const key of keys) {
    const [found, ...others] = isList(key) ? key.map(functionFor) : [functionFor(key)]
    // In a list with other parts, the name can be a label: ['user', (request) => request.user.id].
    if (found !== undefined && !others.includes(undefined)) {
      return `A string is one key for all requests, and not the name of a field. Pass a function: ${found}`
    }
  }
  return undefined
}

function functionFor(name: unknown): string | undefined {
  if (typeof name !== 'string' || name.length > longestName) return undefined
  const field = name.replace(/^(?:req|request|ctx|context)\./, '').replace(/\(\)$/, '')
  const call = callsByField.get(field.replace(/[-_.]/g, '').toLowerCase())
  if (call !== undefined) return call
  const into = path.exec(name)
  if (into === null) return undefined
  return into[1] === undefined ? `(req) => req.${name}` : `(${into[1]}) => ${name}`
}

const longestName = 64
