import { windowText } from '../../text/duration.js'
import { checkFields, checkPolicy, shortestRecoveryMs } from '../checks.js'
import type { Detected } from '../cut/detect.js'
import type { Source } from '../input/open.js'
import { keyReader } from '../keys.js'
import type { SimulateSourcesOptions, SuggestRequest } from '../options.js'
import { readLog } from '../read-log.js'
import type { Sample } from '../sample.js'
import { limited } from '../variants.js'
import { suggestLimits, type SuggestedLimit } from './suggest.js'
import { targetOf } from './target.js'

/**
 * Finds the limits that `--suggest` asks for.
 *
 * @param sample the keys that are replayed afterwards; another sample would have another limit
 */
export async function suggestedBy(
  sources: readonly Source[],
  options: SimulateSourcesOptions,
  sample: Sample,
  { target, windows = [60_000], algorithm = 'slidingWindow', key = 'ip' }: SuggestRequest,
): Promise<readonly SuggestedLimit[]> {
  const streamed = sources.find(({ rereadable }) => !rereadable)
  if (streamed !== undefined) {
    throw new Error(
      `--suggest reads the log several times, and ${streamed.name} can be read only once. Pass a file.`,
    )
  }
  const reader = keyReader(key)
  const request = { target: targetOf(target), windows, algorithm, key: reader, sample }
  const { force = false } = options
  let shortest = 0

  function onDetected(detected: Detected): void {
    checkFields(reader, detected, 'error')
    // Checked before the log is read several times.
    for (const window of windows) {
      const policy = limited(algorithm, 1, window)
      checkPolicy(`--suggest in ${windowText(window)}`, policy, { ...detected, force })
    }
    shortest = shortestRecoveryMs({ ...detected, force })
  }

  return suggestLimits(request, async (onRecord) => {
    await readLog(sources, { ...options, onRecord, onDetected })
    return { shortestRecoveryMs: shortest }
  })
}
