/** Sets `request.user` from a header. An application checks a session or a token instead. */
export function authenticate(request, _response, next) {
  const id = request.headers['x-user']
  if (id !== undefined) request.user = { id, plan: request.headers['x-plan'] ?? 'free' }
  next()
}
