import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { launcher } from './cores.js'
import { isReading, type Reading } from './reading.js'

/** A process in which one contender lives alone: what another one has allocated, compiled or timed does not disturb it. */
export interface ContenderProcess {
  measure(work: string): Promise<Reading>
  stop(): Promise<void>
}

export interface ProcessOptions {
  /** @default [] */
  readonly args?: readonly string[]
  /**
   * Settings of Node.
   *
   * @default []
   */
  readonly node?: readonly string[]
  /**
   * The core that it runs on, where a process can be bound to one (`taskset`).
   *
   * @default any
   */
  readonly core?: number
}

/** Starts a program that calls `serve`. */
export function startContender(
  program: URL,
  { args = [], node = [], core }: ProcessOptions = {},
): ContenderProcess {
  const child = fork(program, args, { ...launcher(node, core), stdio: 'inherit' })
  const exited = exitOf(child)

  return {
    async measure(work) {
      const answered = once(child, 'message').then(([reading]): unknown => reading)
      child.send(work)
      const reading = await Promise.race([answered, exited])
      if (isReading(reading)) return reading
      throw new Error(
        `${[program.pathname.split('/').at(-1), ...args].join(' ')} did not measure ${work}`,
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
