export function GET({ locals }) {
  const { remaining, limit } = locals.rateLimit
  return new Response(`Hello. You have ${remaining} of ${limit} requests left.\n`)
}
