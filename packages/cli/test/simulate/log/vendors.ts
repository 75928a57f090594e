/** A request that the formats of vendors write. */
export interface Logged {
  readonly time: number
  readonly ms: number
  readonly ip: string
  readonly method: string
  readonly url: string
  readonly status: number
  readonly agent: string
  readonly host: string
  readonly user: string
}

const day = Date.UTC(2026, 10, 20, 9)
const changes: readonly Partial<Logged>[] = [
  {},
  { ip: '198.51.100.23', method: 'POST', status: 201 },
  { ip: '2001:db8::1' },
  { ip: '2001:db8:0:1:aaaa:bbbb:cccc:dddd', status: 404 },
  { ip: '::ffff:192.0.2.7' },
  { ip: '10.0.0.1', url: '/' },
  { url: '/search?q=a%20b&page=2' },
  { url: '/a?to=https://example.com/x' },
  { url: '//double' },
  { url: '/%C3%A9t%C3%A9', status: 301 },
  { method: 'HEAD', status: 304 },
  { method: 'OPTIONS', status: 204 },
  { method: 'DELETE', status: 500 },
  { agent: 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/120.0' },
  { agent: '-' },
  { agent: 'Mozilla/5.0 (compatible; bot/1.0; +https://bot.example/)' },
  { status: 429 },
  { status: 503, ms: 30_000 },
  { ms: 0 },
  { ip: '203.0.113.255', url: '/api/v1/items/42', method: 'PUT' },
]

/** Twenty requests, one in each second. */
export const requests: readonly Logged[] = changes.map(logged)

function logged(change: Partial<Logged>, i: number): Logged {
  return {
    time: day + i * 1000,
    ms: 1000,
    ip: '203.0.113.9',
    method: 'GET',
    url: '/index.html',
    status: 200,
    agent: 'curl/8.5.0',
    host: 'shop.example',
    user: '-',
    ...change,
  }
}

export interface Vendor {
  readonly format: string
  /** Lines before the first request. */
  readonly head?: string
  /** The documentation from which the line is written. */
  readonly source: string
  write(request: Logged): string
}

const two = (n: number): string => String(n).padStart(2, '0')
const clf = (time: number, zone = ' +0000'): string => {
  const date = new Date(time)
  return `${two(date.getUTCDate())}/Nov/2026:${date.toISOString().slice(11, 19)}${zone}`
}
const iso = (time: number): string => new Date(time).toISOString()
const common = ({ ip, user, time, method, url, status }: Logged): string =>
  `${ip} - ${user} [${clf(time)}] "${method} ${url} HTTP/1.1" ${status} 512`
const combined = (r: Logged): string => `${common(r)} "https://www.example.com/start" "${r.agent}"`
const seconds = ({ ms }: Logged): string => (ms / 1000).toFixed(3)
const json = (value: object): string => JSON.stringify(value)

const haproxy = (r: Logged, captured = ''): string =>
  `haproxy[14389]: ${r.ip}:33317 [${clf(r.time - r.ms, '.000')}] web~ app/srv1 10/0/30/69/${r.ms} ${r.status} 2750 - - ---- 1/1/1/1/0 0/0 ${captured}"${r.method} ${r.url} HTTP/1.1"`
const heroku = (r: Logged, error = '', more = ''): string =>
  `${iso(r.time).replace('Z', '000+00:00')} heroku[router]: at=${error === '' ? 'info' : error} method=${r.method} path="${r.url}" host=${r.host} request_id=8601b555-6a83-4c12-8269-97c8e32cdb22 fwd="${r.ip}" dyno=web.1 connect=1ms service=${r.ms}ms status=${r.status} bytes=863 protocol=https${more}`

export const vendors: readonly Vendor[] = [
  { format: 'common', source: 'httpd.apache.org/docs/2.4/logs.html', write: common },
  { format: 'combined', source: 'httpd.apache.org/docs/2.4/logs.html', write: combined },
  {
    format: 'vhost_combined',
    source: 'httpd.apache.org/docs/2.4/mod/mod_log_config.html',
    write: (r) => `${r.host}:443 ${combined(r)}`,
  },
  {
    format: 'vhost_common',
    source: 'httpd.apache.org/docs/2.4/mod/mod_log_config.html',
    write: (r) => `${r.host} ${common(r)}`,
  },
  {
    format: 'combined_forwarded',
    source: 'nginx.org, conf/nginx.conf',
    write: (r) => `${combined(r)} "-"`,
  },
  {
    format: 'combined_time',
    source: 'nginx.org/en/docs/http/ngx_http_log_module.html',
    write: (r) => `${combined(r)} ${seconds(r)}`,
  },
  {
    format: 'combined_forwarded_time',
    source: 'nginx.org/en/docs/http/ngx_http_log_module.html',
    write: (r) => `${combined(r)} "-" ${seconds(r)}`,
  },
  {
    format: 'combined_io',
    source: 'httpd.apache.org/docs/2.4/mod/mod_logio.html',
    write: (r) => `${combined(r)} 300 812`,
  },
  {
    format: 'traefik_common',
    source: 'doc.traefik.io/traefik/observability/access-logs',
    write: (r) => `${combined(r)} 17 "web@docker" "http://10.0.0.5:80" ${r.ms}ms`,
  },
  { format: 'haproxy', source: 'HAProxy configuration.txt, 8.2.3', write: (r) => haproxy(r) },
  {
    format: 'haproxy',
    source: 'HAProxy configuration.txt, 8.2.3',
    write: (r) => `Nov 20 09:00:00 lb1 ${haproxy(r, '{shop.example|curl} {} ')}`,
  },
  {
    format: 'alb',
    source:
      'docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html',
    write: (r) =>
      `h2 ${iso(r.time).replace('Z', '000Z')} app/web/50dc6c495c0c9188 ${r.ip.includes(':') ? `[${r.ip}]` : r.ip}:2817 10.0.0.66:9000 0.000 0.002 0.000 ${r.status} ${r.status} 34 366 "${r.method} https://${r.host}:443${r.url} HTTP/2.0" "${r.agent}" TLS_AES_128_GCM_SHA256 TLSv1.3 arn:aws:elasticloadbalancing:us-east-2:1:targetgroup/t/7 "Root=1-58337281-1d84f3d73c47ec4e58577259" "${r.host}" "arn:aws:acm:us-east-2:1:certificate/1" 1 ${iso(r.time - r.ms).replace('Z', '000Z')} "forward" "-" "-" "10.0.0.66:9000" "200" "-" "-" TID_1234abcd5678ef90`,
  },
  {
    format: 'cloudfront',
    source:
      'docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logs-reference.html',
    head: '#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken x-forwarded-for ssl-protocol\n',
    write: (r) => {
      const [path, query = '-'] = r.url.split(/\?(.*)/s)
      return [
        iso(r.time).slice(0, 10),
        iso(r.time).slice(11, 19),
        'FRA2',
        392,
        r.ip,
        r.method,
        'd111.cloudfront.net',
        path,
        r.status,
        '-',
        r.agent.replaceAll(' ', '%20'),
        query,
        '-',
        'Hit',
        'SOX4',
        r.host,
        'https',
        23,
        seconds(r),
        '-',
        'TLSv1.3',
      ].join('\t')
    },
  },
  {
    format: 'w3c',
    source: 'learn.microsoft.com/en-us/windows/win32/http/w3c-logging',
    head: '#Software: Microsoft Internet Information Services 10.0\n#Version: 1.0\n#Date: 2026-11-20 09:00:00\n#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken\n',
    write: (r) => {
      const [path, query = '-'] = r.url.split(/\?(.*)/s)
      return `${iso(r.time).slice(0, 10)} ${iso(r.time).slice(11, 19)} 10.0.0.5 ${r.method} ${path} ${query} 443 - ${r.ip} ${r.agent.replaceAll(' ', '+')} - ${r.status} 0 0 ${r.ms}`
    },
  },
  {
    format: 'envoy',
    source: 'envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage',
    write: (r) =>
      `[${iso(r.time - r.ms)}] "${r.method} ${r.url} HTTP/2" ${r.status} - 0 512 ${r.ms} ${r.ms} "${r.ip}" "${r.agent}" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "${r.host}" "10.0.0.7:8080"`,
  },
  {
    format: 'heroku',
    source: 'devcenter.heroku.com/articles/http-routing#heroku-router-log-format',
    write: (r) => heroku(r, '', ' tls=true tls_version=tls1.3'),
  },
  {
    format: 'heroku',
    source: 'devcenter.heroku.com/articles/error-codes',
    write: (r) => heroku(r, 'error code=H12 desc="Request timeout"'),
  },
  {
    format: 'caddy',
    source: 'caddyserver.com/docs/caddyfile/directives/log',
    write: (r) =>
      json({
        level: 'info',
        ts: r.time / 1000,
        logger: 'http.log.access',
        msg: 'handled request',
        request: {
          remote_ip: '10.0.0.1',
          remote_port: '41342',
          client_ip: r.ip,
          proto: 'HTTP/2.0',
          method: r.method,
          host: r.host,
          uri: r.url,
          headers: { 'User-Agent': [r.agent] },
        },
        bytes_read: 0,
        user_id: '',
        duration: r.ms / 1000,
        size: 10_900,
        status: r.status,
        resp_headers: {},
      }),
  },
  {
    format: 'traefik',
    source: 'doc.traefik.io/traefik/observability/access-logs',
    write: (r) =>
      json({
        ClientAddr: `${r.ip.includes(':') ? `[${r.ip}]` : r.ip}:45678`,
        ClientHost: r.ip,
        ClientPort: '45678',
        ClientUsername: '-',
        DownstreamContentSize: 12,
        DownstreamStatus: r.status,
        Duration: r.ms * 1e6,
        RequestHost: r.host,
        RequestMethod: r.method,
        RequestPath: r.url,
        RequestProtocol: 'HTTP/2.0',
        StartLocal: iso(r.time - r.ms),
        StartUTC: iso(r.time - r.ms).replace('Z', '123456Z'),
        'request_User-Agent': r.agent,
        level: 'info',
        msg: '',
        time: iso(r.time),
      }),
  },
  {
    format: 'envoy_json',
    source: 'istio.io/latest/docs/tasks/observability/logs/access-log',
    write: (r) =>
      json({
        start_time: iso(r.time - r.ms),
        method: r.method,
        path: r.url,
        protocol: 'HTTP/1.1',
        response_code: r.status,
        response_flags: '-',
        bytes_received: 0,
        bytes_sent: 418,
        duration: r.ms,
        x_forwarded_for: null,
        user_agent: r.agent,
        request_id: 'x',
        authority: r.host,
        downstream_remote_address: `${r.ip.includes(':') ? `[${r.ip}]` : r.ip}:39510`,
      }),
  },
  {
    format: 'nginx_json',
    source: 'nginx.org/en/docs/http/ngx_http_log_module.html (escape=json)',
    write: (r) =>
      json({
        time_iso8601: iso(r.time).replace('.000Z', '+00:00'),
        remote_addr: r.ip,
        remote_user: '',
        request: `${r.method} ${r.url} HTTP/1.1`,
        status: `${r.status}`,
        body_bytes_sent: '512',
        request_time: seconds(r),
        http_referrer: '',
        http_user_agent: r.agent,
      }),
  },
  {
    format: 'cloudflare',
    source: 'developers.cloudflare.com/logs/reference/log-fields/zone/http_requests',
    write: (r) =>
      json({
        ClientIP: r.ip,
        ClientRequestHost: r.host,
        ClientRequestMethod: r.method,
        ClientRequestURI: r.url,
        EdgeEndTimestamp: iso(r.time),
        EdgeResponseBytes: 690,
        EdgeResponseStatus: r.status,
        EdgeStartTimestamp: iso(r.time - r.ms),
        RayID: '3a6050bcbe121a87',
        ClientRequestUserAgent: r.agent,
      }),
  },
  {
    format: 'vercel',
    source: 'vercel.com/docs/drains/reference/logs',
    write: (r) =>
      json({
        id: '1',
        deploymentId: 'dpl_1',
        source: 'lambda',
        host: 'x.vercel.app',
        timestamp: r.time + 5,
        projectId: 'p',
        level: 'info',
        proxy: {
          timestamp: r.time,
          method: r.method,
          host: r.host,
          path: r.url,
          userAgent: [r.agent],
          referer: '',
          region: 'sfo1',
          statusCode: r.status,
          clientIp: r.ip,
          scheme: 'https',
        },
      }),
  },
  {
    format: 'pino',
    source: 'github.com/pinojs/pino-http',
    write: (r) =>
      json({
        level: 30,
        time: r.time,
        pid: 1,
        hostname: 'h',
        req: {
          id: 1,
          method: r.method,
          url: r.url,
          headers: { host: r.host, 'user-agent': r.agent },
          remoteAddress: r.ip,
          remotePort: 1,
        },
        res: { statusCode: r.status, headers: {} },
        responseTime: r.ms,
        msg: 'request completed',
      }),
  },
  {
    format: 'pino',
    source: 'fastify.dev/docs/latest/Reference/Logging',
    write: (r) =>
      `${json({ level: 30, time: r.time - r.ms, pid: 1, hostname: 'h', reqId: `req-${r.time}`, req: { method: r.method, url: r.url, host: r.host, remoteAddress: r.ip, remotePort: 1 }, msg: 'incoming request' })}\n${json({ level: 30, time: r.time, pid: 1, hostname: 'h', reqId: `req-${r.time}`, res: { statusCode: r.status }, responseTime: r.ms + 0.3, msg: 'request completed' })}`,
  },
  {
    format: 'pino',
    source: 'restify.com/docs/plugins-api#auditlogger',
    write: (r) =>
      json({
        name: 'audit',
        hostname: 'h',
        pid: 1,
        audit: true,
        level: 30,
        remoteAddress: r.ip,
        remotePort: 1,
        req_id: 'x',
        req: {
          method: r.method,
          url: r.url,
          headers: { host: r.host, 'user-agent': r.agent },
          httpVersion: '1.1',
        },
        res: { statusCode: r.status },
        latency: r.ms,
        msg: 'handled',
        time: iso(r.time),
        v: 0,
      }),
  },
  {
    format: 'winston',
    source: 'github.com/bithavoc/express-winston',
    write: (r) =>
      json({
        level: 'info',
        message: `HTTP ${r.method} ${r.url}`,
        meta: {
          req: {
            url: r.url,
            method: r.method,
            httpVersion: '1.1',
            originalUrl: r.url,
            headers: { host: r.host, 'user-agent': r.agent },
            ip: r.ip,
            query: {},
          },
          res: { statusCode: r.status },
          responseTime: r.ms,
        },
        timestamp: iso(r.time),
      }),
  },
  {
    format: 'winston',
    source: 'github.com/bithavoc/express-winston, with metaField null',
    write: (r) =>
      json({
        level: 'info',
        message: `HTTP ${r.method} ${r.url}`,
        req: {
          url: r.url,
          method: r.method,
          originalUrl: r.url,
          headers: { host: r.host, 'user-agent': r.agent },
          ip: r.ip,
        },
        res: { statusCode: r.status },
        responseTime: r.ms,
        timestamp: iso(r.time),
      }),
  },
  {
    format: 'json',
    source: 'github.com/expressjs/morgan (tokens as JSON)',
    write: (r) =>
      json({
        date: new Date(r.time).toUTCString(),
        'remote-addr': r.ip,
        method: r.method,
        url: r.url,
        status: r.status,
        'content-length': 5,
        'response-time': r.ms,
        'user-agent': r.agent,
      }),
  },
]
