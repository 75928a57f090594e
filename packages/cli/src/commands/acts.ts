import { Argument, Option, type Command } from 'commander'
import type { Act } from '../live/target.js'
import { addressAdvice, nothingWasCounted, statesAsText } from '../output/status-text.js'
import { styleOf } from '../output/style.js'
import { readKey, shownKey } from '../reading/key-text.js'
import { readLength, readUnits } from '../reading/option-values.js'
import { placeOf, withKeyOptions, type KeyOptions } from '../reading/target-options.js'
import type { Terminal } from '../terminal.js'
import { visible, visibleJson } from '../text/visible.js'

interface ActOptions extends KeyOptions {
  readonly reason?: string
  readonly unblock?: boolean
}

type Values = readonly (string | number)[]

/** A command that changes the counts of a key. */
interface ActCommand {
  readonly name: Act['act']
  readonly summary: string
  readonly description: string
  /** The arguments after the key. */
  readonly arguments?: readonly Argument[]
  readonly option?: Option
  /** @param values of the arguments after the key */
  act(values: Values, options: ActOptions): Act
  /** The change in words. */
  done(key: string, ...values: Values): string
  /** The words after the key in the examples. */
  readonly example: string
}

const lengthArgument = (): Argument =>
  new Argument('<length>', 'duration, such as 30s, 10m or 1h').argParser(readLength)

const unitsArgument = (): Argument =>
  new Argument('<units>', 'number of units').argParser(readUnits)

const acts: readonly ActCommand[] = [
  {
    name: 'block',
    summary: 'deny a key for some time',
    description:
      'Block a key: it is denied for this time. A block that it already has is replaced.',
    arguments: [lengthArgument()],
    act: ([length]) => ({ act: 'block', length: String(length) }),
    done: (key, length) => `blocked ${key} for ${length}`,
    example: `10m --reason 'credential stuffing'`,
  },
  {
    name: 'unblock',
    summary: 'end the block of a key',
    description: 'End the block of a key. The units that it has used still count: see reset.',
    act: () => ({ act: 'unblock' }),
    done: (key) => `unblocked ${key}`,
    example: '',
  },
  {
    name: 'reset',
    summary: 'delete what a key has used',
    description: 'Delete what a key has used, so that its full quota is available.',
    option: new Option('--unblock', 'end a block of the key too'),
    act: (_, { unblock = false }) => ({ act: 'reset', unblock }),
    done: (key) => `reset ${key}`,
    example: '--unblock',
  },
  {
    name: 'penalize',
    summary: 'take units from a key',
    description: 'Take units from a key, even if fewer remain.',
    arguments: [unitsArgument()],
    act: ([units]) => ({ act: 'penalize', units: Number(units) }),
    done: (key, units) => `took ${units} ${units === 1 ? 'unit' : 'units'} from ${key}`,
    example: '5',
  },
  {
    name: 'exempt',
    summary: 'allow everything of a key for some time',
    description: 'Exempt a key: it is allowed for this time, and nothing is counted.',
    arguments: [lengthArgument()],
    act: ([length]) => ({ act: 'exempt', length: String(length) }),
    done: (key, length) => `exempted ${key} for ${length}`,
    example: `1h --reason 'migration of a customer'`,
  },
  {
    name: 'unexempt',
    summary: 'end the exemption of a key',
    description: 'End the exemption of a key. Its requests count again.',
    act: () => ({ act: 'unexempt' }),
    done: (key) => `ended the exemption of ${key}`,
    example: '',
  },
  {
    name: 'grant',
    summary: 'give a key units beside its quota for some time',
    description:
      'Grant a key units beside its quota for this time. A grant that it already has is replaced.',
    arguments: [unitsArgument(), lengthArgument()],
    act: ([units, length]) => ({ act: 'grant', units: Number(units), length: String(length) }),
    done: (key, units, length) =>
      `granted ${key} ${units} ${units === 1 ? 'unit' : 'units'} for ${length}`,
    example: `500 24h --reason 'ticket 4711'`,
  },
  {
    name: 'ungrant',
    summary: 'end the grant of a key',
    description: 'End the grant of a key.',
    act: () => ({ act: 'ungrant' }),
    done: (key) => `ended the grant of ${key}`,
    example: '',
  },
]

/** Adds `sluice block`, `unblock`, `reset`, `penalize`, `exempt`, `unexempt`, `grant` and `ungrant`. */
export function addActs(program: Command, terminal: Terminal): void {
  for (const one of acts) addAct(one, program, terminal)
}

function addAct(one: ActCommand, program: Command, terminal: Terminal): void {
  const { name, summary, description, arguments: more = [], option } = one
  const command = program
    .command(name)
    .summary(summary)
    .description(`${description} All processes follow within a second.`)
    .argument('<key>', 'key, such as ip:203.0.113.9, or a JSON list of its parts')
  for (const argument of more) command.addArgument(argument)
  if (option !== undefined) command.addOption(option)
  withKeyOptions(command)
    .option('--reason <text>', 'reason, for the audit log of the application; --url requires it')
    .addHelpText('after', helpOf(one))
    .action((key: string, ...rest: readonly unknown[]) => {
      const values = rest.slice(0, more.length).filter(isValue)
      return change(one, key, values, command.opts<ActOptions>(), terminal)
    })
}

function helpOf({ name, example }: ActCommand): string {
  const line = (key: string, place: string, more = ''): string =>
    ['  sluice', name, key, example, place, more].filter((part) => part !== '').join(' ')
  const reason = example.includes('--reason') ? '' : `--reason 'ticket 4711'`
  return `
Exit code:
  0  the counts were changed
  1  wrong options, or the counts cannot be changed

Examples:
${line('ip:203.0.113.9', '--redis redis://localhost:6379 --limiters limiters.js --limiter login')}
${line(`'["user","42"]'`, '--redis redis://localhost:6379 --rules rules.yaml')}
${line('ip:203.0.113.9', '--url https://shop.example/limits --limiter login', reason)}`
}

/** Commander passes the value that the argument's parser returns. */
function isValue(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

async function change(
  { name, act, done }: ActCommand,
  text: string,
  values: Values,
  options: ActOptions,
  terminal: Terminal,
): Promise<void> {
  const { stdout, env } = terminal
  const { reason, json } = options
  const key = readKey(text, options.counted === true)
  const place = placeOf(options, env)
  if (place.url !== undefined && (reason ?? '').trim() === '') {
    throw new Error('--url needs --reason: the application records who changed what, and why')
  }
  const { openTarget, chosenLimiters } = await import('../live/open-target.js')
  const target = await openTarget(place)
  try {
    const [limiter, ...others] = chosenLimiters(target, options.limiter)
    if (others.length > 0) {
      throw new Error(
        `there are several limiters: choose one with --limiter: ${[limiter, ...others].join(', ')}`,
      )
    }
    const asked = act(values, options)
    const state = await target.act(
      limiter,
      key,
      reason === undefined ? asked : { ...asked, reason },
    )
    if (json === true) {
      stdout.write(
        `${visibleJson({ act: name, ...(reason === undefined ? {} : { reason }), ...state })}\n`,
      )
      return
    }
    const style = styleOf(stdout, terminal)
    const why = reason === undefined ? '' : ` (${reason})`
    stdout.write(
      `${style.strong(visible(done(shownKey(key.text), ...values) + why))}\n\n${statesAsText([state], style)}`,
    )
    const advice =
      addressAdvice(key.text) ?? (state.wasCounted ? undefined : nothingWasCounted(key.text))
    if (advice !== undefined) terminal.stderr.write(`${advice}\n`)
  } finally {
    target.close()
  }
}
