import assert from 'node:assert/strict'

/** Three connections are open, the fourth is denied until one is closed; five events are answered, and the sixth is denied. */
export async function socketIo({ ask }) {
  return connectionsAndEvents(ask, { connections: 3, events: 5 })
}

/** Opens connections until one is denied, and sends events on the first until one is denied. */
export async function connectionsAndEvents(ask, { connections, events }) {
  const open = []
  for (let i = 0; i < connections; i++) open.push(await connect(ask))
  for (const { answer } of open) assert.match(answer, /^40\{"sid"/)
  const denied = await connect(ask)
  assert.deepEqual(JSON.parse(denied.answer.slice(2)), {
    message: 'Too many requests.',
    data: { code: 'RATE_LIMITED', retryAfterMs: 1000 },
  })

  const [first, second] = open
  for (let i = 0; i < events; i++)
    assert.match(await first.send('420["hello"]'), /^430\["Hello\.?"]$/)
  const [{ error }] = JSON.parse((await first.send('420["hello"]')).slice(3))
  assert.equal(error.code, 'RATE_LIMITED')
  assert.ok(error.retryAfterMs > 0)
  assert.match(await second.send('420["hello"]'), /^430\["Hello/)

  await second.post('41')
  const next = await connect(ask)
  assert.match(next.answer, /^40\{"sid"/)
  return `${connections} connections and ${events} events allowed, then denied`
}

/** Connects by long polling, which needs no WebSocket: https://socket.io/docs/v4/engine-io-protocol. */
async function connect(ask) {
  const path = '/socket.io/?EIO=4&transport=polling'
  const { sid } = JSON.parse((await textOf(await ask(path))).slice(1))
  const own = `${path}&sid=${sid}`

  async function post(packet) {
    const body = await textOf(await ask(own, { method: 'POST', body: packet }))
    assert.equal(body, 'ok')
  }

  /** Sends a packet, and reads the next one. */
  async function send(packet) {
    await post(packet)
    return textOf(await ask(own))
  }

  return { answer: await send('40'), send, post }
}

async function textOf(response) {
  assert.equal(response.status, 200)
  return response.text()
}
