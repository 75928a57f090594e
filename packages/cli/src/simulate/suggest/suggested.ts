import { windowText } from '../../output/duration.js'
import { checkFields, checkPolicy, shortestRecoveryMs } from '../checks.js'
import type { Detected } from '../cut/detect.js'
import type { Source } from '../input/open.js'
import { keyReader } from '../keys.js'
import type { SimulateSourcesOptions, SuggestRequest } from '../options.js'
import { readLog } from '../read-log.js'
import { rounded } from '../report/build.js'
import type { Suggestion, VariantReport } from '../report/report.js'
import { createSample } from '../sample.js'
import { limited } from '../variants.js'
import { suggestLimits, type SuggestedLimit } from './suggest.js'
import { targetOf } from './target.js'

/** Finds the limits that `--suggest` asks for. */
export async function suggestedBy(
  sources: readonly Source[],
  options: SimulateSourcesOptions,
  { target, windows = [60_000], algorithm = 'slidingWindow', key = 'ip' }: SuggestRequest,
): Promise<readonly SuggestedLimit[]> {
  const streamed = sources.find(({ rereadable }) => !rereadable)
  if (streamed !== undefined) {
    throw new Error(
      `--suggest reads the log several times, and ${streamed.name} can be read only once. Pass a file.`,
    )
  }
  const reader = keyReader(key)
  const sample = createSample(options.sample ?? 1)
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

/** The suggestions with the shares that their limits denied when they were replayed. */
export function suggestionsOf(
  suggested: readonly SuggestedLimit[],
  variants: readonly VariantReport[],
): readonly Suggestion[] {
  return suggested.map(({ algorithm, windowMs, limit, burst }, i) => {
    const { asked, denied, keysDenied } = variants[i]
    return {
      algorithm,
      window: windowText(windowMs),
      limit,
      ...(burst === undefined ? {} : { burst }),
      share: rounded(asked === 0 ? 0 : denied / asked),
      keys: keysDenied,
    }
  })
}
