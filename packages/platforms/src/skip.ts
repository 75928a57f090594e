import process from 'node:process'

/** The platforms that CI may skip, each with the reason. */
const allowedInCi: Readonly<Record<string, string>> = {}

/** Whether the tests of a platform are skipped, and the title that says why. */
export interface Skip {
  readonly isSkipped: boolean
  readonly title: string
}

/**
 * Skips the tests of a platform that is missing. In CI, that is an error, because nothing else would show that they no longer run.
 *
 * @param platform the name of the platform
 * @param missing the reason why this machine cannot run it; undefined if it can
 * @param title the title of the tests
 * @throws Error in CI, unless the platform is in the list above
 */
export function skipIf(
  platform: string,
  missing: string | undefined,
  title: string = platform,
  allowed: Readonly<Record<string, string>> = allowedInCi,
  isCi: boolean = process.env['CI'] === 'true',
): Skip {
  if (missing === undefined) return { isSkipped: false, title }
  const reason = isCi ? allowed[platform] : missing
  if (reason === undefined) {
    throw new Error(`CI must not skip the tests of ${platform}: ${missing}`)
  }
  return { isSkipped: true, title: `${title} (skipped: ${reason})` }
}
