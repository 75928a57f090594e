import type { ModuleMetadata } from '@nestjs/common'
import { ApolloDriver } from '@nestjs/apollo'
import type { AbstractHttpAdapter } from '@nestjs/core'
import { GraphQLModule, type GqlModuleOptions } from '@nestjs/graphql'
import { MercuriusDriver } from '@nestjs/mercurius'
import { create, listen, platforms, type Ask } from './apps.js'

export type Driver = [
  name: string,
  adapter: (trust?: number | boolean) => AbstractHttpAdapter,
  options: GqlModuleOptions,
]

const [express, fastify] = platforms
const apollo = { driver: ApolloDriver, playground: false }

/** With Apollo on Fastify, a context has the reply only if the application puts it there. */
export const drivers: Driver[] = [
  [`Apollo, ${express[0]}`, express[1], apollo],
  [
    `Apollo, ${fastify[0]}`,
    fastify[1],
    { ...apollo, context: (request: unknown, reply: unknown) => ({ request, reply }) },
  ],
  [`Mercurius, ${fastify[0]}`, fastify[1], { driver: MercuriusDriver }],
]

/** A module whose resolvers serve a schema. */
export function serving(
  options: GqlModuleOptions,
  typeDefs: string,
  { imports = [], providers = [], ...metadata }: ModuleMetadata,
): ModuleMetadata {
  const graphql = GraphQLModule.forRoot({ ...options, typeDefs })
  return { ...metadata, imports: [graphql, ...imports], providers }
}

/** A response of GraphQL, with its errors by the names of their fields. */
export interface Result {
  data: unknown
  errors: Record<string, { message: string; extensions: Record<string, unknown> }>
  headers: Headers
}

export type Query = (query: string, headers?: Record<string, string>) => Promise<Result>

interface GraphqlError {
  message: string
  path?: string[]
  extensions?: Record<string, unknown>
}

/** Sends queries to an application that listens. */
export function queryBy(ask: Ask): Query {
  return async (query, headers = {}) => {
    const answer = await ask('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    })
    const { data, errors = [] }: { data: unknown; errors?: GraphqlError[] } = JSON.parse(
      answer.text,
    )
    const named = errors.map(({ message, path = [], extensions = {} }) => {
      const shown = Object.entries(extensions).filter(([name]) => name !== 'stacktrace')
      return [path.join('.'), { message, extensions: Object.fromEntries(shown) }]
    })
    return { data, errors: Object.fromEntries(named), headers: answer.headers }
  }
}

export async function serveQueries(
  adapter: AbstractHttpAdapter,
  metadata: ModuleMetadata,
): Promise<Query> {
  return queryBy(await listen(await create(adapter, metadata)))
}
