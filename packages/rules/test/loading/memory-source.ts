import { contentOf, type RuleSource } from '../../src/loading/sources/rule-source.js'

/** A source whose text a test sets. `undefined`: it cannot be read. */
export interface MemorySource extends RuleSource {
  text: string | undefined
  reads: number
  changed: () => void
}

export function memorySource(text?: string, options: Partial<RuleSource> = {}): MemorySource {
  return {
    location: 'memory',
    every: 1000,
    text,
    reads: 0,
    changed() {},
    async read(since) {
      this.reads++
      if (this.text === undefined) throw new Error('connection refused')
      const content = contentOf({ text: this.text, format: 'yaml', files: new Map() })
      return content.version === since ? undefined : content
    },
    ...options,
  }
}
