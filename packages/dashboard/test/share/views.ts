import { expect, vi } from 'vitest'
import type { View } from '../../src/index.js'
import type { Served } from '../served.js'

export async function viewWhen(board: Served, holds: (view: View) => boolean): Promise<View> {
  return vi.waitFor(
    async () => {
      const view = await board.view()
      expect(holds(view)).toBe(true)
      return view
    },
    { interval: 100 },
  )
}

export function sumOf(counts: readonly number[] = []): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
