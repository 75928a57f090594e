/** The methods of HTTP that Node knows. */
const known = new Set(
  (
    'ACL BIND CHECKOUT CONNECT COPY DELETE GET LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY OPTIONS PATCH POST PROPFIND PROPPATCH PURGE ' +
    'PUT QUERY REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK UNLOCK UNSUBSCRIBE'
  ).split(' '),
)

/** The method under which a request counts. Some runtimes pass on any word that a client sends: with each of them, it would have a new count. */
export function countedMethod(method: string): string {
  if (method === 'HEAD') return 'GET'
  return known.has(method) ? method : 'other'
}
