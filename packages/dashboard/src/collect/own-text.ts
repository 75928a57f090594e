/** A copy of a key, because V8 keeps the whole of a string in memory, such as a header or a line of a log, as long as a part of it is in use. */
export function ownText(key: string): string {
  return key.length < shortestPart ? key : ` ${key}`.slice(1)
}

/** V8 copies a shorter part of a string. */
const shortestPart = 13
