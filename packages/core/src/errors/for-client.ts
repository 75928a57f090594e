import { quoted } from './quoting.js'

/** The texts that a client receives for the errors that it caused. The message of an error is for the programmer. */
export const clientTexts = {
  SLUICE_KEY_INVALID: (): string => 'The request has no valid key for its rate limit.',
  SLUICE_HEADER_MISSING: (name: string): string => `The request has no header ${quoted(name)}.`,
  SLUICE_USER_MISSING: (): string => 'The request has no user.',
}

const clientText = Symbol.for('@sluice/core:clientText')

/** Adds a text to an error that the client caused: a response with status 400 contains the text in place of the message, which is for the programmer. */
export function addClientText(error: Error, text: string): void {
  // Not enumerable, because logs show the other properties.
  Object.defineProperty(error, clientText, { value: text })
}

/**
 * Replaces the message of an error by its text for the client, if it has one: Koa, Fastify and NestJS send the message of an error with status 400. The
 * stack still begins with the message for the programmer.
 */
export function showClientText(error: object): void {
  if (!(error instanceof Error) || !(clientText in error)) return
  // With source maps, Node writes the stack at the first access, with the message of that time.
  void error.stack
  error.message = String(error[clientText])
}
