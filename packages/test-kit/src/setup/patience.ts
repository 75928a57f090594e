import { vi } from 'vitest'

const { waitFor, waitUntil } = vi

// Beside other tests, on machines as small as two cores, a second alone can be several.
vi.waitFor = async (call, options) => waitFor(call, inTime(options))
vi.waitUntil = async (call, options) => waitUntil(call, inTime(options))

function inTime(options: Parameters<typeof waitFor>[1]): Parameters<typeof waitFor>[1] {
  return typeof options === 'number' ? options : { timeout: 30_000, ...options }
}
