import { isAlias, visit, type Alias, type Document } from 'yaml'

/** An alias without an earlier anchor. YAML reads a text without quotes that begins with `*`, such as a path pattern, as an alias. */
export interface MissingAnchor {
  readonly offset: number
  readonly problem: string
}

/** The first alias without an anchor. */
export function missingAnchor(document: Document.Parsed): MissingAnchor | undefined {
  const found = firstUnknown(document)
  if (found === undefined) return undefined
  const text = `*${found.source}`
  const problem = `"*" begins an alias, and nothing is named &${found.source}. If ${text} is a text, quote it: '${text}'.`
  return { offset: found.range?.[0] ?? 0, problem }
}

/** One pass over the nodes: `alias.resolve` is a pass for each alias. */
function firstUnknown(document: Document.Parsed): Alias | undefined {
  const anchors = new Set<string>()
  let found: Alias | undefined
  visit(document, {
    Node(_key, node) {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.add(node.anchor)
        return undefined
      }
      if (anchors.has(node.source)) return undefined
      found = node
      return visit.BREAK
    },
  })
  return found
}
