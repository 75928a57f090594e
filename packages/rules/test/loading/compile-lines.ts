import { emptyStats } from '../../src/compile/stats.js'
import type { Compile } from '../../src/loading/rule-loader.js'

/** Compiles a text such as `name: a; rules: x y`. Its judgements have the text as their version. */
export function compileLines(): Compile & { compiled: string[] } {
  const compiled: string[] = []
  const compile: Compile = async ({ text }, stats) => {
    compiled.push(text)
    const [, name, rules] = /^name: (\w+); rules: (.*)$/.exec(text) ?? []
    if (name === undefined) throw new Error(`this is no document: ${text}`)
    const ids = rules.split(' ')
    return {
      name,
      version: text,
      document: { version: 1, name, rules: ids.map((id) => ({ id })) },
      warnings: [],
      judge: (facts) => ({ type: 'pass', version: text, tags: [facts.ip ?? ''] }),
      explain: () => {
        throw new Error('the tests explain nothing')
      },
      stats: new Map(ids.map((id) => [id, stats?.get(id) ?? emptyStats()])),
      policies: new Map(),
    }
  }
  return Object.assign(compile, { compiled })
}
