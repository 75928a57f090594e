/** Decisions over one connection, with a number of them in flight at a time. */
export interface Load {
  readonly name: string
  readonly inFlight: number
  /** Whether all decisions are for one key. Otherwise they are spread over 10,000 keys. */
  readonly isHot: boolean
  readonly decisions: number
}

export const loads: readonly Load[] = [
  { name: '1', inFlight: 1, isHot: false, decisions: 2000 },
  { name: '8', inFlight: 8, isHot: false, decisions: 8000 },
  { name: '16', inFlight: 16, isHot: false, decisions: 12_000 },
  { name: '64', inFlight: 64, isHot: false, decisions: 20_000 },
  { name: '512', inFlight: 512, isHot: false, decisions: 30_000 },
  { name: '512, one key', inFlight: 512, isHot: true, decisions: 30_000 },
]

/** The loads by which the CPU time of a decision is compared. */
export const costLoads = ['1', '64', '512'] as const

/** The load with and without `spendAhead`. */
export const hotLoad: Load = { name: 'hot', inFlight: 64, isHot: true, decisions: 100_000 }

export const threePolicies = 'three policies'
export const ahead = 'spendAhead'

/** How the measurement of a contender is called in the readings. */
export function labelOf(name: string, variant?: string): string {
  return variant === undefined ? name : `${name}, ${variant}`
}
