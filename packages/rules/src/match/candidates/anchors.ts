import type { Slices } from '../../slices.js'
import type { Anchor, Condition } from '../predicates/conditions.js'

interface Anchored {
  /** Rules that no anchor can find. */
  readonly always: readonly number[]
  /** Rules with the anchor under which they are filed, in the order of the document. */
  readonly anchored: readonly (readonly [number, Anchor])[]
}

/**
 * Chooses the anchor of each rule: the condition that the fewest rules share. The kind of the condition does not matter: if thousands of rules
 * require `plan: pro`, their paths distinguish them.
 */
export function* chooseAnchors(
  rules: readonly { readonly number: number; readonly conditions: readonly Condition[] }[],
): Slices<Anchored> {
  const uses = new Map<Anchor, number>()
  for (const { conditions } of rules) {
    for (const { anchor } of conditions) {
      if (anchor !== undefined) uses.set(anchor, (uses.get(anchor) ?? 0) + 1)
    }
    yield
  }
  const weights = yield* weightsOf(uses)
  const always: number[] = []
  const anchored: (readonly [number, Anchor])[] = []
  for (const { number, conditions } of rules) {
    let best: Anchor | undefined
    let least = Infinity
    for (const { anchor } of conditions) {
      const weight = anchor === undefined ? Infinity : (weights.get(anchor) ?? Infinity)
      if (weight >= least) continue
      best = anchor
      least = weight
    }
    if (best === undefined) always.push(number)
    else anchored.push([number, best])
    yield
  }
  return { always, anchored }
}

/** The number of rules that a request finds under each anchor. Rules with equal conditions have the same anchor. */
function* weightsOf(uses: ReadonlyMap<Anchor, number>): Slices<ReadonlyMap<Anchor, number>> {
  const shares = new Map<unknown, Map<unknown, number>>()
  for (const [anchor, rules] of uses) {
    const known = sharesOf(anchor, shares)
    for (const member of membersOf(anchor)) known.set(member, (known.get(member) ?? 0) + rules)
    yield
  }
  const weights = new Map<Anchor, number>()
  for (const anchor of uses.keys()) {
    const known = sharesOf(anchor, shares)
    const members = membersOf(anchor)
    let most = 1
    for (const member of members) most = Math.max(most, known.get(member) ?? 1)
    weights.set(anchor, most + members.length / 1000 + preference[anchor.type])
    yield
  }
  return weights
}

function sharesOf(
  anchor: Anchor,
  shares: Map<unknown, Map<unknown, number>>,
): Map<unknown, number> {
  const group = groupOf(anchor)
  let known = shares.get(group)
  if (known === undefined) {
    known = new Map<unknown, number>()
    shares.set(group, known)
  }
  return known
}

/** Added to the number of rules, so that of two anchors with equally many rules the one that is found faster is chosen. */
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
