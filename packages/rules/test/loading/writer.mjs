// Writes a text over a file in place, a few bytes at a time, and does not get beyond a given length.
import { openSync, writeSync } from 'node:fs'

const [path, text, length] = process.argv.slice(2)
const wait = new Int32Array(new SharedArrayBuffer(4))
const part = text.slice(0, Number(length))
const file = openSync(path, 'w')
for (let at = 0; at < part.length; at += 7) {
  writeSync(file, part.slice(at, at + 7))
  Atomics.wait(wait, 0, 0, 2)
}
process.stdout.write('written\n')
Atomics.wait(wait, 0, 0)
