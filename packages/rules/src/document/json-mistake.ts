import { isScalar, Scalar, visit, type Document } from 'yaml'

/**
 * The position at which a text stops being JSON, as far as the error of `JSON.parse` has it. The error has the position of some mistakes only: for others it is the
 * first value that YAML can write and JSON cannot.
 */
export function jsonMistake(text: string, error: unknown, document: Document.Parsed): number {
  const message = error instanceof Error ? error.message : ''
  const [, position] = /\bposition (\d+)/.exec(message) ?? []
  const end = text.trimEnd().length
  if (position !== undefined) return Math.min(Number(position), end)
  if (message.includes('end of JSON input')) return end
  return document.errors.at(0)?.pos[0] ?? firstForeign(document) ?? 0
}

function firstForeign(document: Document.Parsed): number | undefined {
  let found: number | undefined
  visit(document, {
    Scalar(_key, node) {
      if (isJson(node)) return undefined
      found = node.range?.[0]
      return visit.BREAK
    },
  })
  return found
}

function isJson(node: unknown): boolean {
  if (!isScalar(node) || node.type === Scalar.QUOTE_DOUBLE) return true
  return node.type === Scalar.PLAIN && /^(?:true|false|null|-?\d.*)$/.test(node.source ?? '')
}
