import type { RulesDocument } from '@sluice/rules'
import { patterns, routes } from './routes.js'

type Rule = RulesDocument['rules'][number]

const limit = { key: [], limit: 1, window: '1h' } as const

const paths = Object.entries(patterns)
const keyed = Object.entries(routes).filter(([, path]) => path.includes(':id'))

/** Rules that judge every URL. Those of a route or a file have its id, with a word before it. */
export const common: Readonly<Record<string, readonly Rule[]>> = {
  limits: paths.flatMap(([id, path]) => [
    { id: `is ${id}`, when: { path }, ...limit },
    { id: `twice ${id}`, when: { not: { not: { path } } }, ...limit },
  ]),
  others: [
    ...paths.map(([id, path]): Rule => ({ id: `not ${id}`, when: { not: { path } }, ...limit })),
    { id: 'query', when: { 'query.id': 'A' }, ...limit },
    { id: 'not query', when: { 'query.id': { not: 'A' } }, ...limit },
    { id: 'no query', when: { 'query.id': { present: false } }, ...limit },
  ],
  group: paths.map(([id, path]): Rule => ({
    id: `is ${id}`,
    when: { path },
    group: 'g',
    ...limit,
  })),
  keys: keyed.map(([id, path]): Rule => ({
    id,
    when: { path },
    key: 'param.id',
    limit: 1,
    window: '1h',
  })),
  parameters: keyed.flatMap(([id, path]) => [
    { id: `is ${id}`, when: { path, 'param.id': 'A' }, ...limit },
    { id: `not ${id}`, when: { path, 'param.id': { not: 'A' } }, ...limit },
  ]),
  paths: [{ id: 'path', key: 'path', limit: 1, window: '1h' }],
  'query.id: A': exemption({ 'query.id': 'A' }),
}

/** The forms of an exemption of one pattern, and of all paths that do not fit it. */
export const forms: Readonly<Record<'of' | 'except', readonly string[]>> = {
  of: ['free', 'freely', 'param'],
  except: ['not', 'path not'],
}

/** The documents of one pattern, by a form and its id. */
export const ofPattern: Readonly<Record<string, readonly Rule[]>> = Object.fromEntries(
  paths.flatMap(([id, path]): [string, readonly Rule[]][] => [
    [`deny ${id}`, [{ id, when: { path }, then: 'deny' }]],
    [`free ${id}`, exemption({ path })],
    [`freely ${id}`, exemption({ not: { not: { path } } })],
    [`param ${id}`, exemption(path.includes(':id') ? { path, 'param.id': 'A' } : { path })],
    [`not ${id}`, exemption({ not: { path } })],
    [`path not ${id}`, exemption({ path: { not: path } })],
  ]),
)

/** An exemption above a limit of all requests. */
export function exemption(when: NonNullable<Rule['when']>): readonly Rule[] {
  return [
    { id: 'free', when, then: 'allow' },
    { id: 'all', ...limit },
  ]
}
