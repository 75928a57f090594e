// Loaded before a program with a fixed port: makes it listen on PORT instead, so that its text stays unchanged.
import { Server } from 'node:net'
import process from 'node:process'

const { listen } = Server.prototype
const port = Number(process.env.PORT)

Server.prototype.listen = function listenOnPort(where, ...rest) {
  return listen.call(this, typeof where === 'object' ? { ...where, port } : port, ...rest)
}
