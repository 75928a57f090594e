import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { AppSpec, Command, Report } from './app.js'

type Done = Extract<Report, { did: unknown }>

/** The application in its own process. */
export interface AppProcess {
  readonly port: number
  /** Sends a command and resolves when it is done. */
  tell(command: Command): Promise<Done>
  /** The reason, if the process ended unexpectedly. */
  ended(): string | undefined
  stop(): Promise<void>
}

// The compiled file, even if vitest runs this file from its source.
const program = fileURLToPath(new URL('../../dist/app/app.js', import.meta.url))

export async function startApp(spec: AppSpec): Promise<AppProcess> {
  const child = fork(program, [JSON.stringify(spec)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let errors = ''
  let end: string | undefined
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-2000)
  })
  const exited = once(child, 'exit').then(([code, signal]) => {
    end = `the application ended with ${String(code ?? signal)}:\n${errors}`
    return undefined
  })

  async function reportOf<R>(read: (report: Report) => R | undefined): Promise<R> {
    for (;;) {
      const message = await Promise.race([once(child, 'message'), exited])
      if (message === undefined) throw new Error(end)
      const [report] = message as [Report]
      const found = read(report)
      if (found !== undefined) return found
    }
  }

  const port = await reportOf((report) => ('port' in report ? report.port : undefined))
  return {
    port,
    async tell(command) {
      const done = reportOf((report) => {
        return 'did' in report && report.did === command.do ? report : undefined
      })
      if (end === undefined) child.send(command)
      return done
    },
    ended: () => end,
    async stop() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
