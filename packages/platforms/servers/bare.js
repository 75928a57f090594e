/** A server without a limit. */
export default { fetch: () => new Response('Hello.') }
