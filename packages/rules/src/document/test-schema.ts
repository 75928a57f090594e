import { z } from 'zod'
import type { TestDeclaration } from './document.js'

const { exactOptional: maybe, strictObject, string, number, boolean, array, union } = z

export const scalar: z.ZodType<string | number | boolean> = union([string(), number(), boolean()])

const expectations = ['applies', 'refuses', 'allows', 'tags'] as const

/** The tests of a document. */
export const tests: z.ZodType<TestDeclaration[]> = array(
  strictObject({
    request: z
      .record(string(), scalar)
      .describe(
        'method (default: GET), path with its query (default: /), ip, host, route, header.NAME, cookie.NAME, and declared values',
      ),
    at: maybe(
      string().describe('The time of the request, such as 2026-10-01T02:00:00+08:00. Default: now'),
    ),
    applies: maybe(
      array(string()).describe(
        'The limits that apply, in the order of the document, shadow rules included. No rule may refuse the request',
      ),
    ),
    refuses: maybe(string().describe('The rule that refuses the request')),
    allows: maybe(
      string().describe(
        'The rule whose "then: allow" exempts the request from the limits below it',
      ),
    ),
    tags: maybe(array(string()).describe('The tags of the rules with "then: { tag: NAME }"')),
  }).refine((test) => expectations.some((name) => test[name] !== undefined), {
    error: 'a test with "applies", "refuses", "allows" or "tags"',
  }),
)
