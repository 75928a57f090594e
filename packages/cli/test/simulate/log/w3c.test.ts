import { describe, expect, test } from 'vitest'
import { cut, fieldsOf, plain, readerOf, time } from './lines.js'

describe('w3c', () => {
  test('reads the fields that the log names', () => {
    const cutter = readerOf('w3c')
    expect(
      cut(
        cutter,
        '#Fields: date time c-ip cs-username cs-method cs-uri-stem cs-uri-query sc-status cs(User-Agent) time-taken',
      ),
    ).toBe('')
    expect(
      fieldsOf(cut(cutter, '2026-11-20 12:30:15 192.0.2.1 - GET /a b=1 200 curl/8.0+(x) 250')),
    ).toEqual({ ...plain, durationMs: 250, agent: 'curl/8.0 (x)' })
    expect(cutter.has('host')).toBe(false)
  })

  test('reads the fields that a later line names', () => {
    const cutter = readerOf('w3c')
    cut(cutter, '#Fields: date time c-ip cs-method cs-uri-stem sc-status')
    cut(cutter, '#Fields: cs-method cs-uri-stem sc-status date time c-ip')
    expect(fieldsOf(cut(cutter, 'GET /a 200 2026-11-20 12:30:15 192.0.2.1'))).toEqual({
      ...plain,
      url: '/a',
    })
  })

  test('reads a log of CloudFront', () => {
    const cutter = readerOf('cloudfront')
    cut(
      cutter,
      '#Fields: date time c-ip cs-method cs(Host) cs-uri-stem sc-status cs(User-Agent) cs-uri-query time-taken',
    )
    expect(
      fieldsOf(
        cut(
          cutter,
          [
            '2026-11-20',
            '12:30:15',
            '2001:db8::1',
            'GET',
            'd1.example',
            '/a',
            '200',
            'curl%2F8.0',
            '-',
            '0.250',
          ].join('\t'),
        ),
      ),
    ).toMatchObject({
      time,
      durationMs: 250,
      url: '/a',
      ip: '2001:db8::1',
      host: 'd1.example',
      agent: 'curl/8.0',
    })
  })
})
