import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fixedWindow } from '@sluice/core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { simulate, type Report, type SimulateOptions } from '../../../src/simulate/index.js'
import { combinedLine, simulated, start } from '../logs.js'

const variants = { a: { policies: fixedWindow({ limit: 1, window: '1m' }) } }
const json = (fields: object): string =>
  JSON.stringify({ time: start, method: 'GET', url: '/', status: 200, ...fields })
const combined = combinedLine({ at: start, ip: '192.0.2.1' })

describe('several logs', () => {
  async function ofFiles(
    texts: readonly string[],
    options: Partial<SimulateOptions> = {},
  ): Promise<Report> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const log = texts.map((_, i) => join(folder, `${i}.log`))
    await Promise.all(texts.map((text, i) => writeFile(log[i], text)))
    return simulate({ log, variants, ...options })
  }

  test('each have a format', async () => {
    const report = await ofFiles([combined, json({ ip: '192.0.2.1', time: start + 1 })])
    expect(report.log.format).toBe('combined, json')
    expect(report.variants[0]).toMatchObject({ asked: 2, denied: 1 })
  })

  test('all have to have the key', async () => {
    await expect(ofFiles([combined, json({})])).rejects.toThrow('has no field "ip"')
    const list = `${combined} "192.0.2.9, 10.0.0.1"`
    await expect(ofFiles([combined, list])).rejects.toThrow('State which one counts')
  })
})

describe('lines without an address', () => {
  const lines = [...Array.from({ length: 98 }, () => json({ ip: '192.0.2.1' })), json({}), json({})]

  test('are an error if more than 1 % of them lack what the key is', async () => {
    await expect(simulated(lines.join('\n'), { variants })).rejects.toThrow(
      '2 of 100 lines do not fit the format (2 no address)',
    )
    const { log } = await simulated(lines.slice(1, -1).concat(lines[0], lines[0]).join('\n'), {
      variants,
    })
    expect(log.skipped).toEqual({ 'no address': 1 })
  })

  test('are requests like all others for another key', async () => {
    const path = { a: { ...variants.a, key: 'path' } }
    const { log, variants: found } = await simulated(lines.join('\n'), { variants: path })
    expect(log.skipped).toEqual({})
    expect(found[0].asked).toBe(100)
  })
})
