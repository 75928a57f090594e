import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const dist = fileURLToPath(new URL('../../../docs/.vitepress/dist/', import.meta.url))

/** Serves the built site as any static host would. */
export interface SiteServer {
  readonly url: string
  stop(): void
}

export async function serveSite(): Promise<SiteServer> {
  if (!existsSync(`${dist}index.html`)) {
    throw new Error('The site is not built. Run this command first: npm run site -- build')
  }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const name = normalize(decodeURIComponent(pathname))
    const file = join(dist, name.endsWith('/') ? `${name}index.html` : name)
    readFile(file).then(
      (body) => response.setHeader('Content-Type', types[extname(file)] ?? '').end(body),
      () => response.writeHead(404).end(),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** The address of each page, in the order of the index. */
export async function pagesOf({ url }: SiteServer): Promise<string[]> {
  const map: unknown = await (await fetch(`${url}/hashmap.json`)).json()
  return Object.keys(map as object).map(
    (name) => `${url}/${name.replace(/_/g, '/').replace(/\.md$/, '.html')}`,
  )
}
