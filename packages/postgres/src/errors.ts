import { SluiceError } from '@sluice/core'

/** The SQLSTATE of an error, in both drivers. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/**
 * Serialization failure, deadlock, lock not available; and the two of the statements themselves, which a lock has made late: the function raises SL001, and a plain
 * statement divides by zero. Nothing was saved.
 */
const conflicts: ReadonlySet<string | undefined> = new Set([
  '40001',
  '40P01',
  '55P03',
  'SL001',
  '22012',
])

export function isConflict(error: unknown): boolean {
  return conflicts.has(codeOf(error))
}

/** Whether the connection does not know a prepared statement, or knows another one of its name. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error)
  return code === '26000' || code === '42P05'
}

/** Whether the table or a function does not exist, or their schema. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error)
  return code === '42P01' || code === '42883' || code === '3F000'
}

/** The error of a call, with its remedy if there is one. */
export function failureOf(cause: unknown, table: string): Error {
  const error = cause instanceof Error ? cause : new Error(String(cause))
  const advice = adviceFor(cause, table)
  if (advice === undefined) return error
  const message = `${error.message}. ${advice}`
  const refused = `the postgres store refuses its calls: ${message}`
  if (isMissing(cause)) return new SluiceError('SLUICE_STORE_REFUSED', refused, { cause })
  // Without a cause, because a server that refuses a statement is available: it still knows which keys are over their limit.
  if (codeOf(cause) === '42501') return new SluiceError('SLUICE_STORE_REFUSED', refused)
  // A transaction that may only read. A failover can end that.
  return new SluiceError('SLUICE_STORE_FAILED', `the postgres store failed: ${message}`)
}

function adviceFor(error: unknown, table: string): string | undefined {
  if (isMissing(error)) {
    return `The table ${table}, its functions or its schema do not exist. Create the schema, run the SQL of postgresSchema(), or pass "migrate: true".`
  }
  switch (codeOf(error)) {
    case '42501':
      return (
        `The role needs usage on the schema; select, insert, update and delete on ${table}; and execute on its functions. With "migrate: true" it also needs ` +
        `create on the schema.`
      )
    case '25006':
      return 'The connection leads to a standby, or its role may only read. Connect to the primary.'
    default:
      return undefined
  }
}
