import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { slidingWindow } from '@sluice/core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { simulate, type Report } from '../../../src/simulate/index.js'
import { anonymized } from '../../../src/simulate/report/anonymize.js'
import { combinedLog, start } from '../logs.js'

const schema = JSON.parse(
  await readFile(new URL('../../../report.schema.json', import.meta.url), 'utf8'),
)
const isReport = new Ajv2020({ allErrors: true }).compile(schema)

test('the schema describes every part of a report, and nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-'))
  const log = join(folder, 'access.log')
  const lines = Array.from({ length: 300 }, (_, i) => ({
    at: start + i * 500,
    ip: `192.0.2.${i % 3}`,
  }))
  await writeFile(log, `${combinedLog(lines)}not a request\n`)
  const rules = (
    limit: number,
  ): { readonly rules: { text: string; format: 'yaml'; files: Map<string, string> } } => ({
    rules: {
      text: `{ version: 1, name: site, rules: [{ id: all, key: ip, limit: ${limit}, window: 1m }] }`,
      format: 'yaml',
      files: new Map(),
    },
  })
  const report = await simulate({
    log,
    variants: {
      plain: { policies: slidingWindow({ limit: 10, window: '1m' }) },
      old: rules(20),
      new: rules(5),
    },
    baseline: 'old',
    skipBadLines: 0.01,
    suggest: { target: 'requests<=1%', algorithm: 'gcra' },
  })
  await rm(folder, { recursive: true })
  const written: Report = JSON.parse(JSON.stringify(report))
  isReport(written)
  expect(isReport.errors).toBe(null)
  isReport(JSON.parse(JSON.stringify(anonymized(report))))
  expect(isReport.errors).toBe(null)
  expect(written.compared?.newlyDenied.length).toBe(3)
  expect(written.variants.map(({ suggested = false }) => suggested)).toEqual([
    false,
    false,
    false,
    true,
  ])
  for (const damaged of [
    { ...written, version: 2 },
    { ...written, more: 1 },
    { ...written, log: { ...written.log, lines: -1 } },
    { ...written, variants: [{ ...written.variants[0], denied: '1' }] },
    { ...written, log: { ...written.log, from: '11/20/2026, 12:00:00 AM' } },
    { ...written, requests: [{ ...written.requests[0], at: '2026-11-20' }] },
  ]) {
    expect(isReport(damaged)).toBe(false)
  }
})
