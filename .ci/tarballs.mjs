// Packs every package that is published into tarballs that npm can install, and prints the command that installs them:
//
//   npm run tarballs                 into the folder `tarballs`
//   npm run tarballs -- /tmp/sluice  into another folder
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { packAll, withNeeded } from './packages/tarballs.mjs'
import { root } from './workspace.mjs'

const [given] = process.argv.slice(2)
const folder = given === undefined ? join(root, 'tarballs') : resolve(given)
mkdirSync(folder, { recursive: true })
const packed = packAll(folder)

console.log('Install a package together with those that it needs:\n')
for (const one of packed) {
  const tarballs = withNeeded(one, packed).map(({ tarball }) => tarball)
  console.log(`${one.name.padEnd(8)}  npm install ${tarballs.join(' ')}`)
}
