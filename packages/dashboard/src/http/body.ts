import type { IncomingMessage } from 'node:http'
import { isRecord } from '@sluice/core/internal'
import { refusal } from '../refusal.js'
import { bounded } from '../share/bounded.js'

/** The most bytes of a body. */
const mostBytes = 4096

/** The longest time in which a body has to arrive. */
const waitMs = 5000

/** A request whose body a framework may have read already. */
export type BodyRequest = IncomingMessage & { readonly body?: unknown }

/**
 * Reads a body of JSON: from the request, or as a middleware such as `express.json` has read it.
 *
 * @throws Refusal SLUICE_VIEW_BODY_TOO_LARGE, SLUICE_VIEW_BODY_INVALID
 */
export async function readBody(request: BodyRequest): Promise<Readonly<Record<string, unknown>>> {
  const length = Number(request.headers['content-length'] ?? 0)
  if (length > mostBytes) throw tooLarge()
  const { body, readableDidRead: wasRead } = request
  // A middleware for other types of bodies may have left an empty object.
  const isEmpty = isRecord(body) && Object.keys(body).length === 0
  if (isRecord(body) && !Buffer.isBuffer(body) && (wasRead || !isEmpty)) {
    if (Buffer.byteLength(JSON.stringify(body)) > mostBytes) throw tooLarge()
    return body
  }
  if (typeof body === 'string' || Buffer.isBuffer(body)) return parsed(body)
  if (request.readableEnded || wasRead) {
    throw refusal(
      'SLUICE_VIEW_BODY_INVALID',
      'was read by a middleware: pass its result as the property "body" of the request',
    )
  }
  return parsed(await bounded(bytesOf(request), waitMs, 'The body'))
}

async function bytesOf(request: BodyRequest): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > mostBytes) reject(tooLarge())
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
    request.on('close', () => reject(refusal('SLUICE_VIEW_BODY_INVALID', 'did not arrive')))
  })
}

function parsed(text: string | Buffer): Readonly<Record<string, unknown>> {
  if (Buffer.byteLength(text) > mostBytes) throw tooLarge()
  let value: unknown
  try {
    value = JSON.parse(text.toString())
  } catch {
    throw refusal('SLUICE_VIEW_BODY_INVALID', 'is not JSON')
  }
  if (isRecord(value)) return value
  throw refusal('SLUICE_VIEW_BODY_INVALID', 'is not an object')
}

function tooLarge(): Error {
  return refusal('SLUICE_VIEW_BODY_TOO_LARGE', mostBytes)
}
