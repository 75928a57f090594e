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
  const answers = await first.sendAtOnce('["hello"]', events + 1)
  for (const answer of answers.slice(0, events)) assert.match(answer, /^\["Hello\.?"]$/)
  const [{ error }] = JSON.parse(answers[events])
  assert.equal(error.code, 'RATE_LIMITED')
  assert.ok(error.retryAfterMs > 0)
  assert.match((await second.sendAtOnce('["hello"]', 1))[0], /^\["Hello/)

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

  /** Sends an event several times in one request, and reads the acknowledgements. */
  async function sendAtOnce(event, times) {
    const packets = Array.from({ length: times }, (_, id) => `42${id}${event}`)
    await post(packets.join(separator))
    const answers = new Map()
    while (answers.size < times) {
      for (const packet of (await textOf(await ask(own))).split(separator)) {
        const [, id, answer] = /^43(\d+)(.*)$/.exec(packet) ?? []
        if (id !== undefined) answers.set(Number(id), answer)
      }
    }
    return packets.map((_, id) => answers.get(id))
  }

  await post('40')
  return { answer: await textOf(await ask(own)), sendAtOnce, post }
}

const separator = '\x1E'

async function textOf(response) {
  assert.equal(response.status, 200)
  return response.text()
}
