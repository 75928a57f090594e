import {
  isObject,
  pathsOf,
  requiredOf,
  type FieldName,
  type FieldNames,
  type JsonObject,
} from './json-fields.js'

export interface LackingField {
  readonly field: FieldName
  /** The names that were looked for. */
  readonly names: readonly string[]
}

/** The fields that a line lacks to be a request, and the names that it has. Undefined if the line is not a JSON object, or lacks none. */
export function lackingFields(
  text: string,
  given: FieldNames,
): { readonly lacking: readonly LackingField[]; readonly present: readonly string[] } | undefined {
  let line: unknown
  try {
    line = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(line)) return undefined
  const paths = pathsOf(given)
  const required = requiredOf(line, paths)
  const lacking = (['time', 'method', 'url', 'status'] as const)
    .filter((field) => required[field] === undefined)
    .map((field) => ({ field, names: paths[field].map((path) => path.join('.')) }))
  return lacking.length === 0 ? undefined : { lacking, present: namesIn(line) }
}

/** The names of the values in an object; those of inner objects as paths. */
function namesIn(object: JsonObject, depth: number = 1): readonly string[] {
  return Object.entries(object).flatMap(([name, value]) =>
    isObject(value) && depth < 3
      ? namesIn(value, depth + 1).map((inner) => `${name}.${inner}`)
      : [name],
  )
}
