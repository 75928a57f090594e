const file = 'packages/core/src/stores/redis/rest-client.ts'

export const area = 'rest'

export const tests = ['packages/core/test/redis/client.test packages/conformance/test/rest-client']

export const mutants = [
  {
    file,
    name: 'a redirect sends the token to another service',
    find: "redirect: 'manual',\n      ...caching",
    replace: "redirect: 'follow' as 'manual',\n      ...caching",
  },
  {
    file,
    name: 'a call continues after its timeout',
    find: '...(signal && { signal }),',
    replace: '',
  },
  {
    file,
    name: 'an error of Redis loses its text',
    find: "if (typeof body['error'] === 'string') throw new Error(body['error'])",
    replace: '',
  },
  {
    file,
    name: 'a wrong token has no advice',
    find: 'if (status !== 401 && isRecord(body)) {',
    replace: 'if (isRecord(body)) {',
  },
  {
    file,
    name: 'the calls of several requests are joined',
    find: 'isRequestBound: true',
    replace: 'isRequestBound: false',
  },
  {
    file,
    name: 'an address with a password is used',
    find: "if (!isRest || url.username !== '' || url.password !== '') {",
    replace: 'if (!isRest) {',
  },
]
