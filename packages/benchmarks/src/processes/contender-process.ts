import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { launcher } from './cores.js'
import { isReading, type Reading } from './reading.js'

/** A process with only one contender, so that the memory, the compiled code and the timers of others do not disturb it. */
export interface ContenderProcess {
  measure(work: string): Promise<Reading>
  stop(): Promise<void>
}

export interface ProcessOptions {
  /** @default [] */
  readonly args?: readonly string[]
  /**
   * Options of Node.
   *
   * @default []
   */
  readonly node?: readonly string[]
  /**
   * The program that runs it.
   *
   * @default Node
   */
  readonly runtime?: string
  /**
   * The core of the process, if `taskset` can bind it to one.
   *
   * @default any
   */
  readonly core?: number
}

/** Starts a program that calls `serve`. */
export function startContender(
  module: URL,
  { args = [], node = [], runtime = process.execPath, core }: ProcessOptions = {},
): ContenderProcess {
  const child = fork(module, args, { ...launcher(runtime, node, core), stdio: 'inherit' })
  const exited = exitOf(child)

  return {
    async measure(work) {
      const answered = once(child, 'message').then(([reading]): unknown => reading)
      child.send(work)
      const reading = await Promise.race([answered, exited])
      if (isReading(reading)) return reading
      throw new Error(
        `${[module.pathname.split('/').at(-1), ...args].join(' ')} did not measure ${work}`,
      )
    },
    async stop() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function exitOf(child: ChildProcess): Promise<undefined> {
  await once(child, 'exit')
}
