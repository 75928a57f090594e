const first = 160

/** Three-bit codes for the two ids of sliding windows, which do not fit into three bits. All other ids are their own codes. */
const codes: Readonly<Record<number, number>> = { 9: 0, 128: 7 }

/** The id of a pair of algorithms. */
export function stagedId(free: number, then: number): number {
  return first + codeOf(free) * 8 + codeOf(then)
}

/** The ids of both algorithms; undefined if this is not the id of a pair. */
export function stagesOf(id: number): readonly [free: number, then: number] | undefined {
  if (id < first) return undefined
  return [idOf((id - first) >> 3), idOf((id - first) & 7)]
}

function codeOf(id: number): number {
  return codes[id] ?? id
}

function idOf(code: number): number {
  const [id] = Object.entries(codes).find(([, own]) => own === code) ?? [code]
  return Number(id)
}
