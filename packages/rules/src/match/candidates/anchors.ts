import type { Slices } from '../../slices.js'
import type { Anchor, Condition } from '../conditions.js'

interface Anchored {
  /** Rules that no anchor can find. */
  readonly always: readonly number[]
  /** Rules with the anchor under which they are filed, in the order of the document. */
  readonly anchored: readonly (readonly [number, Anchor])[]
}

/**
 * Chooses the anchor of each rule: the one under which the fewest rules would be found. The number of rules that share a value decides, and not its kind: if
 * thousands of rules require `plan: pro`, their paths tell them apart.
 */
export function* chooseAnchors(
  rules: readonly { readonly number: number; readonly conditions: readonly Condition[] }[],
): Slices<Anchored> {
  const shares = new Map<unknown, Map<unknown, number>>()
  const possible: { readonly number: number; readonly anchors: readonly Anchor[] }[] = []
  for (const { number, conditions } of rules) {
    const anchors = conditions.flatMap(({ anchor }) => anchor ?? [])
    for (const anchor of anchors) count(anchor, shares)
    possible.push({ number, anchors })
    yield
  }
  const always: number[] = []
  const anchored: (readonly [number, Anchor])[] = []
  for (const { number, anchors } of possible) {
    const [best] = anchors
      .map((anchor) => ({ anchor, weight: weightOf(anchor, shares) }))
      .sort((a, b) => a.weight - b.weight)
    if (best === undefined) always.push(number)
    else anchored.push([number, best.anchor])
    yield
  }
  return { always, anchored }
}

type Shares = Map<unknown, Map<unknown, number>>

function count(anchor: Anchor, shares: Shares): void {
  const group = groupOf(anchor)
  const known = shares.get(group) ?? new Map<unknown, number>()
  shares.set(group, known)
  for (const member of membersOf(anchor)) known.set(member, (known.get(member) ?? 0) + 1)
}

/** The rules that a request which meets the anchor would find under it. */
function weightOf(anchor: Anchor, shares: Shares): number {
  const known = shares.get(groupOf(anchor))
  const members = membersOf(anchor)
  const sharing = members.map((member) => known?.get(member) ?? 1)
  return Math.max(...sharing) + members.length / 1000 + preference[anchor.type]
}

/** Of equal anchors, the one that is found faster. */
const preference: Readonly<Record<Anchor['type'], number>> = {
  values: 0,
  patterns: 0.2,
  ranges: 0.4,
  list: 0.6,
}

function groupOf(anchor: Anchor): unknown {
  return anchor.type === 'patterns' ? anchor.exact : anchor.field
}

function membersOf(anchor: Anchor): readonly unknown[] {
  switch (anchor.type) {
    case 'values':
      return anchor.values
    case 'patterns':
      return anchor.patterns
    case 'ranges':
      return anchor.ranges.map(({ first, last }) => `${first}-${last}`)
    case 'list':
      return [anchor.list]
    default:
      return anchor satisfies never
  }
}
