import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { run } from '../command.mjs'
import { root } from '../workspace.mjs'
import { compile, createFolder, createProject, packagesOf } from './project.mjs'
import { withAllNeeded } from './tarballs.mjs'
import { visit } from './visit.mjs'

/** Runs every program of README.md unchanged. */
export async function* frontPage(packages, folder) {
  // Built together with the packages.
  const { startRedis } = await import('../../packages/test-kit/dist/redis/servers.js')
  const redis = await startRedis()
  try {
    const env = { REDIS_URL: `redis://127.0.0.1:${redis.port}` }
    const programs = programsIn(join(root, 'README.md'))
    const needed = programs.flatMap(({ code }) => packagesOf(code))
    const project = createProject(join(folder, 'readme'), packages, {
      dependencies: withAllNeeded([...needed, ...peers], packages),
      files: {},
    })
    for (const [i, program] of programs.entries()) {
      yield `README.md, program ${i + 1}: ${await tryOut(project, `${i + 1}`, program, env)}`
    }
  } finally {
    await redis.stop()
  }
}

/** The packages that the programs need besides those that they import. */
const peers = [
  '@nestjs/core',
  '@nestjs/platform-express',
  'reflect-metadata',
  'rxjs',
  '@types/node',
]

async function tryOut(project, name, { language, code }, env) {
  const source = `program.${language}`
  const folder = join(project, name)
  createFolder(folder, { [source]: code })
  if (language === 'ts') {
    compile(folder, source, '--experimentalDecorators', '--emitDecoratorMetadata')
  }
  if (/\b(?:listen|serve)\(/.test(code)) return visit(folder, 'program.js', { env })
  run(process.execPath, ['program.js'], { cwd: folder, env: { ...process.env, ...env } })
  return 'runs'
}

function programsIn(page) {
  const blocks = readFileSync(page, 'utf8').matchAll(/^```([jt]s)\n([\s\S]*?)^```$/gm)
  return [...blocks].map(([, language, code]) => ({ language, code }))
}
