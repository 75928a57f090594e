export { MapDatabase } from './map-database.js'
export type { MapRow, MapSettings } from './map-database.js'
export { unlimitedStore } from './unlimited-store.js'
export { waitsOf } from './waits.js'
