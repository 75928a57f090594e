export { limitConnections } from './connections.js'
export type { ConnectionOptions, OnConnectionDenied } from './connections.js'
export { limitEvents } from './events.js'
export type { EventOptions, OnEventDenied, SocketEvent } from './events.js'
export { limitMessages } from './messages.js'
export type { MessageOptions, OnMessageDenied, SocketMessage } from './messages.js'
export { limitUpgrades } from './upgrades.js'
export type { OnUpgradeDenied, UpgradeOptions, UpgradeServer, UpgradeSocket } from './upgrades.js'
export { byConnection } from './by-connection.js'
export type { Denial } from './denial.js'
export type { SocketLimitOptions } from './limit.js'
export type {
  IoMiddleware,
  IoSocket,
  MessageData,
  Next,
  UpgradeRequest,
  WebSocketLike,
} from './socket.js'

// Both modules are explicit lists. Re-exported, so that an application needs one import.
export * from '@sluice/core'
export * from '@sluice/core/http/application'
