import { IncomingMessage, ServerResponse, type RequestListener } from 'node:http'
import { Socket } from 'node:net'

/** A request that a server could receive. */
export interface Sent {
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  /** The major version of HTTP. */
  readonly version?: 1 | 2
}

/** Runs a request in this process, without a socket. It resolves at the end of the response. */
export async function exchange(listener: RequestListener, sent: Sent): Promise<void> {
  const { target, headers = { host: 'here' }, version = 1 } = sent
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: '192.0.2.1' })
  const request = new IncomingMessage(socket)
  Object.assign(request, {
    url: target,
    method: 'GET',
    headers,
    httpVersionMajor: version,
    httpVersion: version === 1 ? '1.1' : '2.0',
    complete: true,
  })
  request.push(null)
  const response = new ServerResponse(request)
  await new Promise<void>((resolve) => {
    // A response without a socket never emits "finish".
    const end = response.end.bind(response)
    Object.assign(response, {
      end(...chunk: never[]) {
        end(...chunk)
        resolve()
      },
    })
    listener(request, response)
  })
}
