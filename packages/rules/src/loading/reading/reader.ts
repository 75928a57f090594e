import { on } from 'node:events'
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'
import type { Path, Position } from '../../document/syntax.js'
import type { Pause } from '../../slices.js'
import { addPiece, isPiece, type Piece } from './pieces.js'
import { isReport, type ReadingReport, type ReadingTask } from './task.js'

/** A thread that reads one text. It runs until it is ended. */
export interface Reader {
  /** Waits for the result, and puts it into the container. */
  receive(container: object, pause: Pause): Promise<void>
  /** Finds places in the text. */
  locate(paths: readonly Path[]): Promise<readonly Position[]>
  end(): void
}

export interface ReaderOptions extends Omit<ReadingTask, 'pieces'> {
  readonly signal?: AbortSignal | undefined
  /**
   * How long the thread may live after its start.
   *
   * @default 60 seconds: the largest documents take a few
   */
  readonly limitMs?: number
}

/**
 * Starts a thread for a text. Undefined if none can be started: the process may not start threads, or a bundle lacks the program.
 *
 * @throws the reason of the signal
 */
export async function startReader({
  signal,
  limitMs = 60_000,
  ...task
}: ReaderOptions): Promise<Reader | undefined> {
  const { port1, port2 } = new MessageChannel()
  const limit = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const ending = signal === undefined ? limit.signal : AbortSignal.any([limit.signal, signal])
  let worker: Worker | undefined

  function end(): void {
    clearTimeout(timer)
    port1.close()
    void worker?.terminate()
  }

  function endAfter(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => limit.abort(tooLate(ms)), ms)
  }

  try {
    endAfter(longestStartMs)
    worker = startThread({ ...task, pieces: port2 })
    const reports = reportsOf(worker, ending)
    await next(reports, 'started')
    endAfter(limitMs)
    return createReader(worker, port1, reports, end)
  } catch {
    end()
    signal?.throwIfAborted()
    return undefined
  }
}

const longestStartMs = 60_000

/** The reports of a thread, in the order in which it sends them. */
type Reports = AsyncIterator<unknown>

function createReader(
  worker: Worker,
  port: MessagePort,
  reports: Reports,
  end: () => void,
): Reader {
  return {
    async receive(container, pause) {
      await next(reports, 'read')
      for (const piece of piecesIn(port)) {
        addPiece(container, piece)
        await pause()
      }
    },

    async locate(paths) {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(paths)
      const { positions } = await next(reports, 'located')
      return positions
    },

    end,
  }
}

/** Receives one piece at a time. A listener of the port would receive all of them without a pause. */
function* piecesIn(port: MessagePort): Generator<Piece> {
  for (;;) {
    const received: unknown = receiveMessageOnPort(port)?.message
    if (!isPiece(received)) return
    yield received
  }
}

/** The thread keeps the process alive: an application that waits for its first rules may have nothing else that does. */
function startThread(task: ReadingTask): Worker {
  return new Worker(new URL('thread.js', import.meta.url), {
    name: 'sluice-rules',
    workerData: task,
    transferList: [task.pieces],
    // Command-line options of the application, such as preloaded modules, are not for this thread.
    execArgv: [],
  })
}

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

/** The cause of an `AbortError` is the actual reason. */
function throwCause(error: unknown): never {
  throw error instanceof Error && error.cause !== undefined ? error.cause : error
}
