// Makes a release of what is committed: versions, changelogs, a commit and a tag, by lerna. Arguments are lerna's own, such as --no-push.
import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { pnpm, root } from './workspace.mjs'

// Started by pnpm, lerna finds the pnpm that it updates the lockfile with.
const [command, args] = pnpm('exec', 'lerna', 'version', ...process.argv.slice(2))
const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
process.exitCode = status ?? 1
