import { fixedWindow, gcra, notLimited } from '@sluice/core'
import { byHeader, byIp, byUser } from '@sluice/core/http'
import { authenticate } from '../arrivals.js'
import { perMinute, problem, problemType, text, type RowGroup } from './row.js'

const two = '"api";q=2;w=60'
const none = '"api";r=0;t=60'
const later = problem('Try again in 1 minute.', 'api')
const never = 'The request asks for more than the quota can ever give, so waiting does not help.'

const forwarded = (address: string): Record<string, string> => ({ 'x-forwarded-for': address })

/** Rows about callers, and the units that their requests take. */
export const rowsByCaller: readonly RowGroup[] = [
  {
    limits: 'per user and address',
    options: ({ user }) => ({
      policies: {
        'the "user"': fixedWindow({ limit: 1, window: '1m' }),
        'Adresse\\ä': gcra({ limit: 60, window: '1h', burst: 3 }),
      },
      key: {
        'the "user"': byUser((request) => user(request) ?? notLimited),
        'Adresse\\ä': byIp(),
      },
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
          problem('Try again in 1 minute.', 'the "user"'),
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
        answer: [200, two, '"api";r=1;t=60', '', '', text, 'hello'],
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
      policies: gcra({ limit: 60, window: '1m', burst: 5 }),
      key: byHeader('x-api-key'),
      cost: (request) => Number(header(request, 'x-cost') ?? 1),
      skip: (request) => header(request, 'x-health') !== undefined,
      headers: ['draft', 'legacy'],
    }),
    rows: [
      {
        request: 'no API key',
        answer: [400, '', '', '', '', text, 'SLUICE_HEADER_MISSING'],
      },
      {
        request: 'cost 4',
        headers: { 'x-api-key': 'a', 'x-cost': '4' },
        answer: [200, '"api";q=5;w=5', '"api";r=1;t=1', '', '5, 1, 4', text, 'hello'],
      },
      {
        request: 'cost 3',
        headers: { 'x-api-key': 'a', 'x-cost': '3' },
        answer: [
          429,
          '"api";q=5;w=5',
          '"api";r=1;t=1',
          '2',
          '5, 1, 4',
          problemType,
          problem('Try again in 2 seconds.', 'api'),
        ],
      },
      {
        request: 'cost 6, which never fits',
        headers: { 'x-api-key': 'a', 'x-cost': '6' },
        answer: [
          429,
          '"api";q=5;w=5',
          '"api";r=1;t=1',
          '4',
          '5, 1, 4',
          problemType,
          problem(never, 'api'),
        ],
      },
      {
        request: 'skipped',
        headers: { 'x-health': '1' },
        answer: [200, '', '', '', '', text, 'hello'],
      },
    ],
  },
]
