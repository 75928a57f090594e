import { RulesError, rulesError, rulesErrorFrom } from '../errors.js'
import { reasonOf } from '../errors/quoting.js'
import type { RulesContent, RuleSource } from './sources/rule-source.js'

export interface Refresher {
  /** Reads the source, even if it says that nothing has changed. Rejects if it cannot be read, or its content cannot be used. */
  refresh(): Promise<void>
  /** Runs the work while no read is under way. */
  inTurn(work: () => Promise<void>): Promise<void>
  /** Begins to read the source by itself: every `source.every`, and when it reports a change. */
  start(): void
  close(): void
}

/** Receives the result of each read. */
export interface Reception {
  /** The version that is known, so that the source has to deliver only another one. */
  known(): string | undefined
  /** The source was read. Undefined: it is unchanged. Rejects if the content cannot be used. */
  receive(content: RulesContent | undefined): Promise<void>
  /** The source could not be read. */
  fail(error: RulesError): void
}

const longestReadMs = 30_000

/** Reads a source again and again, never twice at the same time. */
export function createRefresher(source: RuleSource, reception: Reception): Refresher {
  let timer: NodeJS.Timeout | undefined
  let stopWatching: (() => void) | undefined
  let abort: (() => void) | undefined
  let isClosed = false
  let isReading = false
  let isQueued = false
  let failures = 0
  let queue: Promise<unknown> = Promise.resolve()

  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = queue.then(work)
    queue = done.catch(() => {})
    return done
  }

  async function readOnce(since: string | undefined): Promise<void> {
    let content: RulesContent | undefined
    try {
      content = await readInTime(since)
    } catch (error) {
      if (isClosed) throw error
      failures++
      const failure = failureOf(source, error)
      reception.fail(failure)
      throw failure
    }
    failures = 0
    await reception.receive(content)
  }

  /** Rejects after 30 seconds, even if the source ignores its signal. */
  async function readInTime(since: string | undefined): Promise<RulesContent | undefined> {
    if (isClosed) throw failed('the rules are closed')
    if (isReading) throw failed('an earlier read has not ended yet')
    const controller = new AbortController()
    isReading = true
    const reading = read(since, controller.signal).finally(() => {
      isReading = false
    })
    let timeout: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_, reject) => {
      abort = () => reject(failed('the rules were closed'))
      timeout = setTimeout(
        () => reject(failed(`it took longer than ${longestReadMs} ms`)),
        longestReadMs,
      )
      timeout.unref()
    })
    try {
      return await Promise.race([reading, tooLate])
    } catch (error) {
      controller.abort(error)
      throw error
    } finally {
      clearTimeout(timeout)
      abort = undefined
    }
  }

  /** A source that throws rejects. */
  async function read(
    since: string | undefined,
    signal: AbortSignal,
  ): Promise<RulesContent | undefined> {
    return source.read(since, signal)
  }

  function failed(reason: string): RulesError {
    return rulesError('SLUICE_RULES_SOURCE_FAILED', source.location, reason)
  }

  function readByItself(): void {
    if (isQueued) return
    isQueued = true
    clearTimeout(timer)
    // `reception` has already received the failure.
    void inTurn(readIfChanged)
      .catch(() => {})
      .finally(schedule)
  }

  function readIfChanged(): Promise<void> {
    isQueued = false
    return readOnce(reception.known())
  }

  function schedule(): void {
    clearTimeout(timer)
    if (isClosed || source.every === 0) return
    timer = setTimeout(readByItself, pauseMs())
    // Loaded rules do not keep the process alive.
    timer.unref()
  }

  function pauseMs(): number {
    const { every, maxPauseMs = every } = source
    return Math.min(every * 2 ** failures, maxPauseMs)
  }

  return {
    refresh: () => inTurn(() => readOnce(undefined)),
    inTurn,
    start() {
      schedule()
      stopWatching = source.watch?.(readByItself)
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      stopWatching?.()
      abort?.()
    },
  }
}

function failureOf(source: RuleSource, error: unknown): RulesError {
  if (error instanceof RulesError) return error
  return rulesErrorFrom(error, 'SLUICE_RULES_SOURCE_FAILED', source.location, reasonOf(error))
}
