import { zipf } from '../memory/keys.js'
import { called } from '../processes/called.js'
import { keyCount, serveLoads } from '../processes/serve-loads.js'
import { loads } from './loads.js'

// Measures one contender. The command line has the database, the name of the contender, and the address or the file.

const [, , database, name, target] = process.argv
const contenders =
  database === 'postgres'
    ? (await import('./postgres.js')).postgresContenders
    : (await import('./sqlite.js')).sqliteContenders()
const decide = await called(contenders, name).open(target)
const most = Math.max(...loads.map(({ decisions }) => decisions))
serveLoads(loads, zipf(keyCount, most), decide)
