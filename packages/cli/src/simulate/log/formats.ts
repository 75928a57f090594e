import { jsonFormats, type FieldNames } from './json.js'
import { apachePattern, nginxPattern, type Pattern } from './grammar.js'
import { patternFormat } from './pattern.js'
import type { Format } from './record.js'
import { w3cFormat } from './w3c.js'

const common = '$remote_addr - $remote_user [$time_zoned] "$request" $status $body_bytes_sent'
const combined = `${common} "$http_referer" "$http_user_agent"`
const haproxy =
  '$client [$accepted] $frontend $server $timers $status $bytes_read $request_cookie $response_cookie $state $connections $queues'
/** The lines of each format, from the documentation of its vendor. A name with several lines has optional parts. */
const lines: Readonly<Record<string, readonly string[]>> = {
  common: [common], // httpd.apache.org/docs/2.4/logs.html
  combined: [combined], // the same page
  // httpd.apache.org/docs/2.4/mod/mod_log_config.html; Debian's other_vhosts_access.log, with and without the port.
  vhost_combined: [`$host ${combined}`],
  vhost_common: [`$host ${common}`],
  // The format `main` of nginx.org's conf/nginx.conf, and nginx.org/en/docs/http/ngx_http_log_module.html.
  combined_forwarded: [`${combined} "$http_x_forwarded_for"`],
  combined_time: [`${combined} $request_time`],
  combined_forwarded_time: [`${combined} "$http_x_forwarded_for" $request_time`],
  forwarded_combined: [combined.replace('$remote_addr', '$forwarded_list')],
  // httpd.apache.org/docs/2.4/mod/mod_logio.html
  combined_io: [`${combined} $bytes_received $bytes_sent`],
  traefik_common: [`${combined} $number "$router" "$server" $duration`], // doc.traefik.io/traefik/observability/access-logs
  // HAProxy's configuration.txt, 8.2.3, with the tag of syslog, and with what comes before it.
  haproxy: ['', 'haproxy[$pid]: ', '$syslog haproxy[$pid]: '].flatMap((prefix) =>
    ['', '{$headers} ', '{$headers} {$more_headers} '].map(
      (captured) => `${prefix}${haproxy} ${captured}"$request"`,
    ),
  ),
  // docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html
  alb: [
    '$type $end $elb $client $target $request_processing_time $target_processing_time $response_processing_time $status $target_status $received_bytes $bytes_sent "$request" "$http_user_agent" $ssl_cipher $ssl_protocol $target_group_arn "$trace_id" "$domain_name" "$chosen_cert_arn" $matched_rule_priority $start$rest',
  ],
  envoy: [
    // envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage; the first is Istio's default.
    '[$start] "$request" $status $flags $details $termination "$failure" $bytes_received $bytes_sent $duration_ms $upstream_time "$http_x_forwarded_for" "$http_user_agent" "$request_id" "$host" "$upstream_host" $cluster $upstream_local $local $client $server_name $route',
    '[$start] "$request" $status $flags $bytes_received $bytes_sent $duration_ms $upstream_time "$http_x_forwarded_for" "$http_user_agent" "$request_id" "$host" "$upstream_host"',
  ],
}

/** The formats that a name can state. `json` is each of the formats in JSON lines. */
export function formatsOf(fields: FieldNames): readonly Format[] {
  return [
    ...Object.entries(lines).map(([name, texts]) => patternFormat(name, texts.map(ownPattern))),
    w3cFormat('w3c'), // learn.microsoft.com/en-us/windows/win32/http/w3c-logging
    w3cFormat('cloudfront'), // docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logs-reference.html
    ...jsonFormats(fields),
  ]
}

/** In our own declarations, two fields can follow each other if the second is the rest of the line. */
function ownPattern(text: string): Pattern {
  return text.endsWith('$rest')
    ? withRest(nginxPattern(text.slice(0, -'$rest'.length)))
    : nginxPattern(text)
}

function withRest({ fields, literals, escape }: Pattern): Pattern {
  return {
    fields: [...fields, { role: 'rest', name: 'rest' }],
    literals: [...literals, ''],
    escape,
  }
}

/** A format in the language of nginx (`$remote_addr`) or of Apache (`%h`). */
export function statedFormat(text: string, name: string): Format {
  return patternFormat(name, [text.includes('$') ? nginxPattern(text) : apachePattern(text)])
}

/** The names of all formats, for `--format`. */
export const formatNames: readonly string[] = [
  'auto',
  'json',
  'nginx',
  ...new Set(formatsOf({}).map(({ name }) => name)),
]
