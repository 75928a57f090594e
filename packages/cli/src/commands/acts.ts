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

/** A command that changes the counts of a key. */
interface ActCommand {
  readonly name: Act['act']
  readonly summary: string
  readonly description: string
  readonly argument?: Argument
  readonly option?: Option
  /** @param value of the argument after the key */
  act(value: string | number | undefined, options: ActOptions): Act
  /** The change in words. */
  done(key: string, value: string | number | undefined): string
  /** The words after the key in the examples. */
  readonly example: string
}

const lengthArgument = (): Argument =>
  new Argument('<length>', 'duration, such as 30s, 10m or 1h').argParser(readLength)

const acts: readonly ActCommand[] = [
  {
    name: 'block',
    summary: 'deny a key for some time',
    description:
      'Block a key: it is denied for this time. A block that it already has is replaced.',
    argument: lengthArgument(),
    act: (length) => ({ act: 'block', length: String(length) }),
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
    argument: new Argument('<units>', 'number of units').argParser(readUnits),
    act: (units) => ({ act: 'penalize', units: Number(units) }),
    done: (key, units) => `took ${units} ${units === 1 ? 'unit' : 'units'} from ${key}`,
    example: '5',
  },
  {
    name: 'exempt',
    summary: 'allow everything of a key for some time',
    description: 'Exempt a key: it is allowed for this time, and nothing is counted.',
    argument: lengthArgument(),
    act: (length) => ({ act: 'exempt', length: String(length) }),
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
]

/** Adds `sluice block`, `unblock`, `reset`, `penalize`, `exempt` and `unexempt`. */
export function addActs(program: Command, terminal: Terminal): void {
  for (const one of acts) addAct(one, program, terminal)
}

function addAct(one: ActCommand, program: Command, terminal: Terminal): void {
  const { name, summary, description, argument, option } = one
  const command = program
    .command(name)
    .summary(summary)
    .description(`${description} All processes follow within a second.`)
    .argument('<key>', 'key, such as ip:203.0.113.9, or a JSON list of its parts')
  if (argument !== undefined) command.addArgument(argument)
  if (option !== undefined) command.addOption(option)
  withKeyOptions(command)
    .option('--reason <text>', 'reason, for the audit log of the application; --url requires it')
    .addHelpText('after', helpOf(one))
    .action((key: string, ...rest: readonly unknown[]) => {
      const value = argument === undefined ? undefined : valueIn(rest[0])
      return change(one, key, value, command.opts<ActOptions>(), terminal)
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
function valueIn(value: unknown): string | number | undefined {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined
}

async function change(
  { name, act, done }: ActCommand,
  text: string,
  value: string | number | undefined,
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
    const asked = act(value, options)
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
      `${style.strong(visible(done(shownKey(key.text), value) + why))}\n\n${statesAsText([state], style)}`,
    )
    const advice =
      addressAdvice(key.text) ?? (state.wasCounted ? undefined : nothingWasCounted(key.text))
    if (advice !== undefined) terminal.stderr.write(`${advice}\n`)
  } finally {
    target.close()
  }
}
