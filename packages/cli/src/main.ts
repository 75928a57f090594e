#!/usr/bin/env node
import process from 'node:process'
import { createProgram } from './program.js'
import { failure } from './output/failure.js'

// A reader that has seen enough, such as `head`, closes the pipe: that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

try {
  await (await createProgram()).parseAsync()
} catch (error) {
  process.stderr.write(failure(error))
  process.exitCode = 1
}
