import { once } from 'node:events'
import { IncomingMessage, ServerResponse, type RequestListener } from 'node:http'
import { Socket } from 'node:net'

/** A connection of a proxy on the same machine, without a network. */
class Connection extends Socket {
  override _write(_bytes: unknown, _encoding: string, done: () => void): void {
    done()
  }

  override _writev(_bytes: unknown, done: () => void): void {
    done()
  }
}

// As on a socket of Node, the class has the getter. Its types declare a property, which a class cannot replace by a getter.
Object.defineProperty(Connection.prototype, 'remoteAddress', { get: () => '127.0.0.1' })

const connections = Array.from({ length: 50 }, () => new Connection())
const addresses = 64
let next = 0

/** The CPU time of one of so many requests, in microseconds. All must be allowed. */
export async function microsecondsOf(listener: RequestListener, requests: number): Promise<number> {
  let left = requests

  async function send(connection: Connection): Promise<void> {
    while (left-- > 0) await request(listener, connection)
  }

  const before = process.cpuUsage()
  await Promise.all(connections.map(send))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / requests
}

async function request(listener: RequestListener, connection: Connection): Promise<void> {
  const request = new IncomingMessage(connection)
  request.method = 'GET'
  request.url = '/'
  request.httpVersion = '1.1'
  request.httpVersionMajor = 1
  request.httpVersionMinor = 1
  request.headers = { host: 'localhost', 'x-forwarded-for': `10.0.0.${next++ % addresses}` }
  request.push(null)
  const response = new ServerResponse(request)
  response.assignSocket(connection)
  const finished = once(response, 'finish')
  listener(request, response)
  await finished
  response.detachSocket(connection)
  if (response.statusCode !== 200) throw new Error(`a request got ${response.statusCode}`)
}
