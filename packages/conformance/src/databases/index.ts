export { MapDatabase } from './map-database.js'
export type { MapRow, MapSettings } from './map-database.js'
