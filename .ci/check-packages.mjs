// Looks at the packages as npm would publish them: packs each, has publint and attw judge the tarball, and uses the tarballs in a
// project that has nothing else, by import and by require.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { run } from './command.mjs'
import { members, pnpm, root } from './workspace.mjs'

const folder = mkdtempSync(join(tmpdir(), 'sluice-packages-'))
process.on('exit', () => rmSync(folder, { recursive: true }))

const packages = members()
  .filter(({ manifest }) => manifest.private !== true)
  .map(({ folder: source, manifest }) => ({ manifest, tarball: pack(source, manifest) }))

for (const { manifest, tarball } of packages) {
  judge(tarball)
  checkContents(manifest.name, tarball)
}
use(packages)
console.log(
  `Packages: ${packages.map(({ manifest }) => manifest.name).join(', ')} can be published.`,
)

function pack(source, { name, version }) {
  const [command, args] = pnpm('pack', '--pack-destination', folder)
  run(command, args, { cwd: source })
  return join(folder, `${name.slice(1).replace('/', '-')}-${version}.tgz`)
}

function judge(tarball) {
  run(bin('publint'), ['run', '--strict', tarball])
  run(bin('attw'), ['--profile', 'esm-only', tarball])
}

function checkContents(name, tarball) {
  const files = run('tar', ['-tzf', tarball]).trim().split('\n')
  const absent = [
    'package.json',
    'README.md',
    'LICENSE',
    'dist/index.js',
    'dist/index.d.ts',
  ].filter((file) => !files.includes(`package/${file}`))
  if (absent.length > 0) fail(`${name}: the tarball lacks ${absent.join(', ')}`)

  // A module whose source is gone was left in dist by an earlier build.
  const orphans = files
    .filter((file) => /^package\/dist\/.*\.js$/.test(file))
    .filter((file) => !files.includes(file.replace('/dist/', '/src/').replace(/js$/, 'ts')))
  const stray = files.filter((file) => /(^|[/.])tests?[/.]|tsconfig|\.tsbuildinfo/.test(file))
  if (orphans.length + stray.length > 0) {
    fail(`${name}: the tarball holds ${[...orphans, ...stray].join(', ')}`)
  }

  const unpacked = join(folder, name.replace('/', sep))
  mkdirSync(unpacked, { recursive: true })
  run('tar', ['-xzf', tarball, '-C', unpacked])
  for (const file of filesIn(unpacked)) {
    if (/["']workspace:/.test(readFileSync(file, 'utf8'))) fail(`${file} holds a workspace: range`)
  }
}

/** Installs the tarballs beside each other, as an application would, and has a limiter decide. */
function use(packages) {
  const project = join(folder, 'project')
  mkdirSync(project)
  const dependencies = Object.fromEntries(
    packages.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]),
  )
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, dependencies }))
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: project })

  const entries = packages.flatMap(({ manifest }) =>
    Object.keys(manifest.exports)
      .filter((path) => !path.endsWith('.json'))
      .map((path) => manifest.name + path.slice(1)),
  )
  const decide = `
    const limiter = createLimiter({ name: 'probe', policies: slidingWindow({ limit: 1, window: '1m' }) })
    const answers = [limiter.consume('key').allowed, limiter.consume('key').allowed]
    if (answers.join() !== 'true,false') throw new Error('the limiter answered ' + answers)
  `
  const programs = {
    'use.mjs': `
      import { createLimiter, slidingWindow } from '@sluice/core'
      ${entries.map((entry) => `import '${entry}'`).join('\n')}
      ${decide}`,
    'use.cjs': `
      const { createLimiter, slidingWindow } = require('@sluice/core')
      ${entries.map((entry) => `require('${entry}')`).join('\n')}
      ${decide}`,
    // The declarations are checked as well: they may lean on nothing that is not installed with them.
    'use.mts': `
      import { createLimiter, slidingWindow } from '@sluice/core'
      import { byIp } from '@sluice/core/http'
      byIp({ ipv6: 56 })
      ${decide}`,
  }
  for (const [file, text] of Object.entries(programs)) writeFileSync(join(project, file), text)
  run(process.execPath, ['use.mjs'], { cwd: project })
  run(process.execPath, ['use.cjs'], { cwd: project })
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023']
  run(bin('tsc'), [...options, '--types', '', 'use.mts'], { cwd: project })
}

function bin(name) {
  return join(root, 'node_modules', '.bin', name)
}

function filesIn(parent) {
  return readdirSync(parent, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

function fail(reason) {
  console.error(reason)
  process.exit(1)
}
