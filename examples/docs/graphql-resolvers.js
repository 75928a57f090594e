// @ts-nocheck -- the types of GraphQL are not the subject
// A limit of one resolver.
import assert from 'node:assert/strict'
// #region resolvers
import { createLimiter, limited, slidingWindow } from '@sluice/core'
import { GraphQLError, GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql'

const searches = createLimiter({
  name: 'searches',
  policies: slidingWindow({ limit: 10, window: '1m' }),
})

const limitSearches = limited(searches, (source, args, { user }) => ({ key: ['user', user] }), {
  onDenied({ retryAfterMs }) {
    const extensions = { code: 'RATE_LIMITED', retryAfterMs }
    throw new GraphQLError('Too many searches.', { extensions })
  },
})

const search = {
  type: GraphQLString,
  args: { text: { type: GraphQLString } },
  resolve: limitSearches(async (source, { text }) => `Found ${text}.`),
}
const version = { type: GraphQLString, resolve: () => '1.0' }
const query = new GraphQLObjectType({ name: 'Query', fields: { search, version } })
const schema = new GraphQLSchema({ query })
// #endregion
import { graphql } from 'graphql'

const run = (source) => graphql({ schema, source, contextValue: { user: 'ada' } })
for (let i = 0; i < 9; i++) {
  assert.equal((await run('{ search(text: "tea") }')).data.search, 'Found tea.')
}
// Two aliases are two searches, and only one is left.
const { data, errors } = await run('{ a: search(text: "a") b: search(text: "b") version }')
assert.deepEqual({ ...data }, { a: 'Found a.', b: null, version: '1.0' })
assert.equal(errors.length, 1)
assert.equal(errors[0].extensions.code, 'RATE_LIMITED')
