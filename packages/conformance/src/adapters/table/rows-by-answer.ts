import { concurrency, unlimited } from '@sluice/core'
import { answerEarly } from '../arrivals.js'
import { perMinute, problem, problemType, text, title, type RowGroup } from './row.js'

const two = '"api";q=2;w=60'
const none = '"api";r=0;t=60'
const later = problem('Try again in 1 minute.', 'api')

/** Rows about answers, with one key for all requests. */
export const rowsByAnswer: readonly RowGroup[] = [
  {
    limits: '2 a minute, all headers',
    options: { ...perMinute(2), headers: ['draft', 'legacy'] },
    rows: [
      {
        request: 'first',
        answer: [200, two, '"api";r=1;t=60', '', '2, 1, 60', text, 'hello'],
      },
      {
        request: 'HEAD, last',
        method: 'HEAD',
        answer: [200, two, none, '', '2, 0, 60', text, ''],
      },
      {
        request: 'too many',
        answer: [429, two, none, '60', '2, 0, 60', problemType, later],
      },
      {
        request: 'too many, Accept: text/plain',
        headers: { accept: 'text/plain' },
        answer: [429, two, none, '60', '2, 0, 60', text, `${title}. Try again in 1 minute.\n`],
      },
      {
        request: 'too many, HEAD',
        method: 'HEAD',
        answer: [429, two, none, '60', '2, 0, 60', problemType, ''],
      },
      {
        request: 'too many, OPTIONS',
        method: 'OPTIONS',
        answer: [429, two, none, '60', '2, 0, 60', problemType, later],
      },
      {
        request: '59.999 s later',
        after: 59_999,
        answer: [
          429,
          two,
          '"api";r=0;t=1',
          '1',
          '2, 0, 1',
          problemType,
          problem('Try again in 1 second.', 'api'),
        ],
      },
      {
        request: '1 ms later, answered 404',
        after: 1,
        headers: { 'x-answer': '404' },
        answer: [404, two, '"api";r=1;t=60', '', '2, 1, 60', text, 'hello'],
      },
      {
        request: 'the handler throws',
        headers: { 'x-answer': 'throw' },
        answer: [500, two, none, '', '2, 0, 60', text, 'Error: thrown'],
      },
    ],
  },
  {
    limits: '1 a minute, answered by the application',
    options: {
      ...perMinute(1),
      headers: 'legacy',
      onDenied: () => ({ status: 200, type: text, body: 'busy' }),
    },
    rows: [
      { request: 'first', answer: [200, '', '', '', '1, 0, 60', text, 'hello'] },
      { request: 'second', answer: [200, '', '', '60', '1, 0, 60', text, 'busy'] },
    ],
  },
  {
    limits: '0 a minute, a body of its own',
    options: { ...perMinute(0), statusCode: 503, headers: 'none', body: { error: 'busy' } },
    rows: [
      {
        request: 'denied',
        answer: [503, '', '', '1', '', 'application/json', '{"error":"busy"}'],
      },
    ],
  },
  {
    limits: '0 a minute, dry run',
    options: { ...perMinute(0), dryRun: true, headers: 'draft' },
    rows: [
      {
        request: 'would be denied',
        answer: [200, '"api";q=0;w=60', '"api";r=0', '', '', text, 'hello'],
      },
    ],
  },
  {
    limits: '3 running at once, and something unlimited',
    options: {
      policies: { running: concurrency({ limit: 3, lease: '30s' }), other: unlimited() },
    },
    rows: [
      {
        request: 'alone',
        answer: [
          200,
          '"running";q=3;qu="concurrent-requests"',
          '"running";r=2',
          '',
          '',
          text,
          'hello',
        ],
      },
    ],
  },
  {
    limits: '0 a minute, answered before the limiter',
    options: perMinute(0),
    extras: { first: answerEarly },
    rows: [{ request: 'early', answer: [200, '', '', '', '', text, 'early'] }],
  },
]
