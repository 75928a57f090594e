import { SluiceError } from '@sluice/core'
import { memberOf, type IoSocket } from './socket.js'

/**
 * The error of a server whose recovered connections skip the middlewares, as socket.io's `connectionStateRecovery` does by default: a client could
 * disconnect, connect again, and pass without a limit.
 */
export function skippedBy(socket: IoSocket, limit: string): SluiceError | undefined {
  const path = ['nsp', 'server', 'opts', 'connectionStateRecovery', 'skipMiddlewares']
  if (path.reduce<unknown>(memberOf, socket) !== true) return undefined
  return new SluiceError(
    'SLUICE_OPTIONS_CONFLICT',
    `${limit}: "connectionStateRecovery" of the server lets recovered connections skip all middlewares, and so this limit. ` +
      `Pass connectionStateRecovery: { skipMiddlewares: false }.`,
  )
}
