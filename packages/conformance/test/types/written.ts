import { preamble, type Call } from './calls.js'

export interface Program {
  text(): string
  /** Adds a statement, and returns the offset in the program of an offset in the statement. */
  add(statement: string, at: number): number
  /** Adds a call with values for these options, and returns the offset of each. Without options, it is the offset at which to write one. */
  addCall(call: Call, options: readonly string[]): readonly number[]
}

/** Makes a program of statements, among them some of these calls. */
export function newProgram(calls: readonly Call[]): Program {
  let text = preamble + calls.map(({ type }, i) => `type Options${i} = ${type}\n`).join('')

  function add(statement: string, at: number): number {
    const start = text.length + 2
    text += `{ ${statement} }\n`
    return start + at
  }

  return {
    text: () => text,
    add,
    addCall(call, options) {
      const type = `Options${calls.indexOf(call)}`
      const passed = options.map((option) => `${option}: value<${type}, '${option}'>()`)
      const literal = `{ ${passed.join(', ')} }`
      const statement = call.write(literal)
      const start = add(statement, statement.indexOf(literal))
      return options.length === 0 ? [start + 1] : passed.map((one) => start + literal.indexOf(one))
    },
  }
}
