import { compileRules, parsedOf, type RuleSet } from '@sluice/rules'
import { serve } from '../processes/serve.js'

// Measures the memory of a list in a process of its own: the growth of the heap after a garbage collection.

const kind = process.argv[2] === 'address' ? 'address' : 'text'
const count = 100_000
const kept: RuleSet[] = []

serve(async () => {
  const before = usedBytes()
  kept.push(await compiled())
  return { bytesPerEntry: (usedBytes() - before) / count }
})

/** The text of the file is garbage once the list is read. */
function compiled(): Promise<RuleSet> {
  const entries = Array.from({ length: count }, (_, i) => entryOf(i)).join('\n')
  const field = kind === 'address' ? 'ip' : 'header.x'
  const document = {
    version: 1,
    name: 'list',
    lists: { list: { kind, file: 'list.txt' } },
    // oxlint-disable-next-line unicorn/no-thenable -- the member's name
    rules: [{ id: 'listed', when: { [field]: { in: '$list' } }, then: 'deny' }],
  } as const
  return compileRules(parsedOf(document, new Map([['list.txt', entries]])))
}

function entryOf(i: number): string {
  const address = `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`
  return kind === 'address' ? address : `client-${address}`
}

function usedBytes(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
