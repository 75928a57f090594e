import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** A response as it was received from the socket. */
export interface RawAnswer {
  readonly status: number
  /** A header by its name in lower case. */
  header(name: string): string | undefined
  readonly body: string
}

/** Sends a request whose target is these characters, each as one byte. No client library would send some of them. */
export async function sendTarget(
  port: number,
  target: string,
  { method = 'GET', lines = '', host = 'here' } = {},
): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1')
  const head = `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${lines}\r\n`
  // A server drops the request of a client that has ended its side.
  socket.write(Buffer.from(head, 'latin1'))
  socket.setEncoding('latin1')
  const answer = await text(socket)
  const [fields, body = ''] = answer.split('\r\n\r\n')
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(fields)?.[1]),
    header: (name) => new RegExp(`^${name}: (.*)$`, 'im').exec(fields)?.[1],
    body,
  }
}

/** Spellings that some server resolves, or serves as they are. */
export const targets: readonly string[] = [
  // Of a path without parameters.
  '/api/search',
  '/API/Search',
  '/api/search/',
  '/api/search//',
  '//api/search',
  '/api//search',
  '/./api/search',
  '/x/../api/search',
  '/api/search/.',
  '/%61pi/search',
  '/api/se%61rch',
  '/api%2Fsearch',
  '/api%5Csearch',
  '/api\\search',
  '/api\\search#',
  '/api/search;x=1',
  '/api;x/search',
  '/api/search?',
  '/api/search?x=/other',
  '/api/search#x',
  '/api/search%20',
  '/api/search%00',
  '/api/search\xa0',
  'http://other.example/api/search',
  'HTTP://user@other.example:80/api/search',
  'http://other.example//api/search',
  'http://other.example/api\\search',
  'http://other.example?/api/search',
  'ftp://other.example/api/search',
  // Of a path with a parameter.
  '/users/7/posts',
  '/users/../posts',
  '/users/./posts',
  '/users/%2e%2e/posts',
  '/users/;x/posts',
  '/users//posts',
  '/users/a%2Fb/posts',
  '/users/%/posts',
  '/users/a\\b/posts',
  '/users/\\../posts#',
  '/find/x',
  '/find/',
  '/find/..',
  '/find/.',
  '/find/;x',
  '/find/%2f',
  '/find/%ff',
  '/find/\xe9',
  '/find/__proto__',
  // Below a wildcard.
  '/files/x',
  '/files/',
  '/files/../x',
  '/files/x/../../y',
  '/files/%2e%2e/x',
  '/files/..;/x',
  '/files//x',
  '/FILES/x',
]
