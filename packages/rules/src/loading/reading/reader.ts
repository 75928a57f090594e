import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ReadingReport, ReadingTask } from './thread.js'

export interface ReaderOptions {
  readonly signal?: AbortSignal | undefined
  /**
   * How long the thread may live after its start.
   *
   * @default 60 seconds: the largest documents take a few
   */
  readonly limitMs?: number
}

const longestStartMs = 60_000

/**
 * Starts a thread for a text, and returns its report. Undefined if none can be started: the process may not start threads, or a bundle lacks the program.
 *
 * @throws the reason of the signal, or Error if the thread fails or takes too long
 */
export async function readInThread<T extends ReadingReport['type']>(
  task: ReadingTask,
  type: T,
  { signal, limitMs = 60_000 }: ReaderOptions = {},
): Promise<ReportOf<T> | undefined> {
  const limit = new AbortController()
  const ending = signal === undefined ? limit.signal : AbortSignal.any([limit.signal, signal])
  let timer: NodeJS.Timeout | undefined
  let worker: Worker | undefined
  function endAfter(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => limit.abort(tooLate(ms)), ms)
  }

  try {
    endAfter(longestStartMs)
    let reports: Reports
    try {
      worker = startThread(task)
      reports = reportsOf(worker, ending)
      await next(reports, 'started')
    } catch {
      signal?.throwIfAborted()
      return undefined
    }
    endAfter(limitMs)
    return await next(reports, type)
  } finally {
    clearTimeout(timer)
    void worker?.terminate()
  }
}

/** The thread keeps the process alive: an application that waits for its first rules may have nothing else that does. */
function startThread(task: ReadingTask): Worker {
  return new Worker(new URL('thread.js', import.meta.url), {
    name: 'sluice-rules',
    workerData: task,
    // Command-line options of the application, such as preloaded modules, are not for this thread.
    execArgv: [],
  })
}

/** The reports of a thread, in the order in which it sends them. */
type Reports = AsyncIterator<unknown>

/** Reports are queued until they are read. */
function reportsOf(worker: Worker, signal: AbortSignal): Reports {
  const reports = on(worker, 'message', { signal, close: ['exit'] })
  // A thread that is ended while it starts can still fail.
  worker.on('error', () => {})
  return reports
}

type ReportOf<T extends ReadingReport['type']> = Extract<ReadingReport, { readonly type: T }>

function tooLate(limitMs: number): Error {
  return new Error(`to read it takes longer than ${limitMs} ms`)
}

async function next<T extends ReadingReport['type']>(
  reports: Reports,
  type: T,
): Promise<ReportOf<T>> {
  const result: { readonly value: unknown } = await reports.next().catch(throwCause)
  const report: unknown = Array.isArray(result.value) ? result.value[0] : undefined
  if (isReport(report, type)) return report
  throw new Error(isReport(report, 'failed') ? report.reason : 'its thread has ended')
}

function isReport<T extends ReadingReport['type']>(value: unknown, type: T): value is ReportOf<T> {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === type
}

/** The cause of an `AbortError` is the actual reason. */
function throwCause(error: unknown): never {
  throw error instanceof Error && error.cause !== undefined ? error.cause : error
}
