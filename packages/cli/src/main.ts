#!/usr/bin/env node
import process from 'node:process'
import { run } from './program.js'

// A reader such as `head` closes the pipe before the end. That is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

await run(process.argv.slice(2), process)

// A module of limiters can have connections of its own, which would keep the process alive. The output is written first.
process.stdout.write('', () => process.exit())
