import { concurrency, fixedWindow, gcra, unlimited } from '@sluice/core'
import { byHeader, byIp, byUser } from '@sluice/core/http'
import { answerEarly, authenticate } from '../arrivals.js'
import { problem, problemType, text, title, type Scene } from './row.js'

const perMinute = (
  limit: number,
): { limit: number; window: '1m'; algorithm: typeof fixedWindow } => ({
  limit,
  window: '1m',
  algorithm: fixedWindow,
})
const forwarded = (address: string): Record<string, string> => ({ 'x-forwarded-for': address })

const two = '"default";q=2;w=60'
const none = '"default";r=0;t=60'
const later = problem('Try again in 60 seconds.', 'default')
const never = 'The request asks for more than the quota can ever give, so waiting does not help.'

/** The answers of http.md, as every server must give them. */
export const scenes: readonly Scene[] = [
  {
    limits: '2 a minute, all headers',
    options: { ...perMinute(2), headers: 'both' },
    rows: [
      {
        request: 'first',
        answer: [200, two, '"default";r=1;t=60', '', '2, 1, 60', text, 'hello'],
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
        answer: [429, two, none, '60', '2, 0, 60', text, `${title}. Try again in 60 seconds.\n`],
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
          '"default";r=0;t=1',
          '1',
          '2, 0, 1',
          problemType,
          problem('Try again in 1 second.', 'default'),
        ],
      },
      {
        request: '1 ms later, answered 404',
        after: 1,
        headers: { 'x-answer': '404' },
        answer: [404, two, '"default";r=1;t=60', '', '2, 1, 60', text, 'hello'],
      },
      {
        request: 'the handler throws',
        headers: { 'x-answer': 'throw' },
        answer: [500, two, none, '', '2, 0, 60', text, 'Error: thrown'],
      },
    ],
  },
  {
    limits: 'per user and address',
    options: ({ user }) => ({
      policies: {
        'the "user"': fixedWindow({ limit: 1, window: '1m' }),
        'Adresse\\ä': gcra({ limit: 60, window: '1h', burst: 3 }),
      },
      key: { 'the "user"': byUser(user), 'Adresse\\ä': byIp() },
    }),
    extras: { first: authenticate },
    rows: [
      {
        request: 'a user',
        headers: { 'x-user': 'ann' },
        answer: [
          200,
          '"the \\"user\\"";q=1;w=60, "Adresse\\\\%C3%A4";q=3;w=180',
          '"the \\"user\\"";r=0;t=60, "Adresse\\\\%C3%A4";r=2;t=60',
          '',
          '',
          text,
          'hello',
        ],
      },
      {
        request: 'the user again',
        headers: { 'x-user': 'ann' },
        answer: [
          429,
          '"the \\"user\\"";q=1;w=60, "Adresse\\\\%C3%A4";q=3;w=180',
          '"the \\"user\\"";r=0;t=60, "Adresse\\\\%C3%A4";r=2;t=60',
          '60',
          '',
          problemType,
          problem('Try again in 60 seconds.', 'the "user"'),
        ],
      },
      {
        request: 'nobody logged in',
        answer: [
          200,
          '"Adresse\\\\%C3%A4";q=3;w=180',
          '"Adresse\\\\%C3%A4";r=1;t=60',
          '',
          '',
          text,
          'hello',
        ],
      },
    ],
  },
  {
    limits: '2 a minute by address, behind one proxy',
    options: { ...perMinute(2), allow: ['10.0.0.0/8'], deny: ['192.0.2.1'] },
    extras: { proxies: 1 },
    rows: [
      {
        request: 'IPv4',
        headers: forwarded('1.2.3.4'),
        answer: [200, two, '"default";r=1;t=60', '', '', text, 'hello'],
      },
      {
        request: 'the same, a forged one before it',
        headers: forwarded('6.6.6.6, ::ffff:1.2.3.4'),
        answer: [200, two, none, '', '', text, 'hello'],
      },
      {
        request: 'the same in bits',
        headers: forwarded('::ffff:102:304'),
        answer: [429, two, none, '60', '', problemType, later],
      },
      {
        request: 'an allowed range',
        headers: forwarded('10.1.2.3'),
        answer: [200, '', '', '', '', text, 'hello'],
      },
      {
        request: 'a denied address',
        headers: forwarded('192.0.2.1'),
        answer: [
          403,
          '',
          '',
          '',
          '',
          problemType,
          JSON.stringify({ title: 'Forbidden', status: 403 }),
        ],
      },
      {
        request: 'no address',
        headers: forwarded('unknown'),
        answer: [500, '', '', '', '', text, 'SLUICE_ADDRESS_MISSING'],
      },
    ],
  },
  {
    limits: '5 at once by API key, 1 each second',
    options: ({ header }) => ({
      policy: gcra({ limit: 60, window: '1m', burst: 5 }),
      key: byHeader('x-api-key'),
      cost: (request) => Number(header(request, 'x-cost') ?? 1),
      skip: (request) => header(request, 'x-health') !== undefined,
      headers: 'both',
    }),
    rows: [
      {
        request: 'no API key',
        answer: [500, '', '', '', '', text, 'SLUICE_HEADER_MISSING'],
      },
      {
        request: 'cost 4',
        headers: { 'x-api-key': 'a', 'x-cost': '4' },
        answer: [200, '"default";q=5;w=5', '"default";r=1;t=1', '', '5, 1, 4', text, 'hello'],
      },
      {
        request: 'cost 3',
        headers: { 'x-api-key': 'a', 'x-cost': '3' },
        answer: [
          429,
          '"default";q=5;w=5',
          '"default";r=1;t=1',
          '2',
          '5, 1, 4',
          problemType,
          problem('Try again in 2 seconds.', 'default'),
        ],
      },
      {
        request: 'cost 6, which never fits',
        headers: { 'x-api-key': 'a', 'x-cost': '6' },
        answer: [
          429,
          '"default";q=5;w=5',
          '"default";r=1;t=1',
          '4',
          '5, 1, 4',
          problemType,
          problem(never, 'default'),
        ],
      },
      {
        request: 'skipped',
        headers: { 'x-health': '1' },
        answer: [200, '', '', '', '', text, 'hello'],
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
        answer: [200, '"default";q=0;w=60', '"default";r=0', '', '', text, 'hello'],
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
          '"running";r=2;t=30',
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
