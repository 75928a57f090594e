// Makes a release of the committed state with lerna: versions, changelogs, a commit and a tag. Arguments are passed to lerna, such as --no-push.
import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { pnpm, root } from './workspace.mjs'

// If pnpm starts lerna, lerna finds that pnpm and updates the lockfile with it.
const [command, args] = pnpm('exec', 'lerna', 'version', ...process.argv.slice(2))
const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
process.exitCode = status ?? 1
