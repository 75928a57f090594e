import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { run } from '../command.mjs'
import { root } from '../workspace.mjs'
import { compile, createProject } from './project.mjs'
import { withAllNeeded } from './tarballs.mjs'
import { visit } from './visit.mjs'

/** Runs every program of README.md unchanged, each in its own project with the packages that it imports. */
export async function* frontPage(packages, folder) {
  // Built together with the packages.
  const { startRedis } = await import('../../packages/conformance/dist/redis/servers.js')
  const redis = await startRedis()
  try {
    const env = { REDIS_URL: `redis://127.0.0.1:${redis.port}` }
    for (const [i, program] of programsIn(join(root, 'README.md')).entries()) {
      const project = join(folder, `readme-${i + 1}`)
      yield `README.md, program ${i + 1}: ${await tryOut(project, program, packages, env)}`
    }
  } finally {
    await redis.stop()
  }
}

async function tryOut(project, { language, code }, packages, env) {
  const source = `program.${language}`
  createProject(project, packages, {
    dependencies: withAllNeeded(needs(code), packages),
    files: { [source]: code },
  })
  if (language === 'ts') {
    compile(project, source, '--experimentalDecorators', '--emitDecoratorMetadata')
  }
  if (/\b(?:listen|serve)\(/.test(code)) return visit(project, 'program.js', { env })
  run(process.execPath, ['program.js'], { cwd: project, env: { ...process.env, ...env } })
  return 'runs'
}

/** The packages that a program imports, and their peers. */
function needs(code) {
  const imported = [...code.matchAll(/from '([^'.][^']*)'|import '([^'.][^']*)'/g)]
    .map(([, from, only]) => from ?? only)
    .filter((name) => !name.startsWith('node:'))
  const nest = code.includes('@nestjs/')
    ? [
        '@nestjs/common',
        '@nestjs/core',
        '@nestjs/platform-express',
        'reflect-metadata',
        'rxjs',
        '@types/node',
      ]
    : []
  return [...imported, ...nest]
}

function programsIn(page) {
  const blocks = readFileSync(page, 'utf8').matchAll(/^```([jt]s)\n([\s\S]*?)^```$/gm)
  return [...blocks].map(([, language, code]) => ({ language, code }))
}
