import { spawnSync } from 'node:child_process'
import { root } from './workspace.mjs'

/** The path of a Node that npm installs. A program that npx starts could not start npx itself: it would inherit the package. */
export function nodeOf(version) {
  const where = ['node', '--print', 'process.execPath']
  const { stdout } = spawnSync('npx', ['--yes', '--package', `node@${version}`, '--', ...where], {
    cwd: root,
    encoding: 'utf8',
  })
  return stdout.trim()
}
