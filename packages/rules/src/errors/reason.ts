/** The reason that an error gives, for the message of another error. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
