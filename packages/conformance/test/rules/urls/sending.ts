import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { connect, type Http2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { loadRules, staticSource, type LoadedRules, type RulesDocument } from '@sluice/rules'
import { onTestFinished } from 'vitest'
import { sendTarget } from '../targets.js'

export type Rule = RulesDocument['rules'][number]

/** A limit that does not deny. */
export const many = { limit: 1000, window: '1h' } as const
/** A limit of all requests. */
export const all: Rule = { id: 'all', key: [], ...many }

/** The limits that applied, by the names in the header of the response. */
export function limitsIn(header: string | string[] | undefined): readonly string[] {
  return [
    ...[header]
      .flat()
      .join()
      .matchAll(/"(\w+)"/g),
  ].map(([, name]) => name)
}

export async function load(rules: readonly Rule[]): Promise<LoadedRules<unknown>> {
  return loadRules({ source: staticSource({ version: 1, name: 'known', rules }) })
}

export async function portOf(
  server: ReturnType<typeof createServer> | Http2Server,
): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** The body of a response, and the limits that applied. */
export type Get = (
  target: string,
  host?: string,
) => Promise<readonly [body: string, ...limits: string[]]>

export async function overHttp1(listener: RequestListener): Promise<Get> {
  const port = await portOf(createServer(listener))
  return async (target, host = 'here') => {
    const answer = await sendTarget(port, target, { host })
    return [answer.body, ...limitsIn(answer.header('ratelimit'))]
  }
}

/** Sends requests by HTTP/2, with these headers. */
export function overHttp2(
  port: number,
): (headers: Readonly<Record<string, string>>) => Promise<readonly [string, ...string[]]> {
  const session = connect(`http://127.0.0.1:${port}`)
  onTestFinished(() => session.destroy())
  return async (headers) => {
    const stream = session.request({ ...headers })
    const [received] = await once(stream, 'response')
    let body = ''
    for await (const chunk of stream.setEncoding('utf8')) body += String(chunk)
    return [body, ...limitsIn(received['ratelimit'])]
  }
}
