import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test, vi } from 'vitest'

const examples = fileURLToPath(new URL('../../../../examples/', import.meta.url))

afterEach(() => {
  vi.doUnmock('express')
  vi.resetModules()
})

// A test also fails if a handler rejects. On Express 4, that ends the process.
describe.each(['express', 'express4'])('with %s', (version) => {
  test('a login with a list as its name, or without a name, receives a 400', async () => {
    const { app } = await importWith<{ app: RequestListener }>(
      version,
      'moving/rate-limiter-flexible/after.js',
    )
    const queries = ['name=ada', 'name=ada&name=x', 'password=right', 'name=ada&password=right']
    const logIns = queries.map((query) => `/login?${query}`)
    expect(await statuses(app, logIns)).toEqual([401, 400, 400, 200])
  })

  test('an error of keyOf reaches the error handler', async () => {
    const { app, reports } = await importWith<{ app: RequestListener; reports: object }>(
      version,
      'docs/express-limiter.js',
    )
    Object.assign(reports, { keyOf: async () => Promise.reject(new Error('No key.')) })
    expect(await statuses(app, ['/solved'])).toEqual([500])
  })
})

test('every async handler of Express in the examples catches its errors', () => {
  const handlers = programsIn(examples)
    .filter((file) => !file.endsWith('/before.js'))
    .map((file) => readFileSync(file, 'utf8'))
    .filter((text) => text.includes(`from 'express'`))
    .flatMap((text) => Array.from(text.matchAll(/^app\.\w+\(.*async \(.*\) => \{\n(.*)$/gm)))
  expect(handlers.map(([, first]) => first.trim())).toEqual(Array(7).fill('try {'))
})

/** Without `node_modules`, whose links lead out of the folder. */
function programsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((found) => {
    if (found.isDirectory() && !/^(?:node_modules|build|\..*)$/.test(found.name)) {
      return programsIn(`${folder}${found.name}/`)
    }
    return found.name.endsWith('.js') ? [folder + found.name] : []
  })
}

/** Imports an example with this version of Express. */
async function importWith<T>(version: string, file: string): Promise<T> {
  if (version !== 'express') vi.doMock('express', () => import(version))
  return (await import(examples + file)) as T
}

async function statuses(app: RequestListener, paths: readonly string[]): Promise<number[]> {
  // The error handler of Express writes no error to the console.
  Object.assign(app, { settings: { ...Object(app).settings, env: 'test' } })
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const seen: number[] = []
  try {
    for (const path of paths) {
      const url = `http://127.0.0.1:${port}${path}`
      const signal = AbortSignal.timeout(5000)
      seen.push((await fetch(url, { method: 'POST', signal })).status)
    }
    return seen
  } finally {
    server.close()
    server.closeAllConnections()
  }
}
