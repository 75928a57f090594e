/** The statuses of a number of equal requests to an application of Fastify, one after the other. */
export async function injected(app, count, request) {
  const seen = []
  for (let i = 0; i < count; i++) seen.push((await app.inject(request)).statusCode)
  return seen
}
