// Loaded before a program that names its port: it listens on the port that PORT says instead, so that its text can stay as it is.
import { Server } from 'node:net'
import process from 'node:process'

const { listen } = Server.prototype
const port = Number(process.env.PORT)

Server.prototype.listen = function listenOnPort(where, ...rest) {
  return listen.call(this, typeof where === 'object' ? { ...where, port } : port, ...rest)
}
