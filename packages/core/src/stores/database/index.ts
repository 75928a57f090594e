export type { Change, Database, Loaded, Saved, Span, StoredRow } from './database.js'
