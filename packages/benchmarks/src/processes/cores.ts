import { spawnSync } from 'node:child_process'

/** Whether a process can be bound to a core. */
export const canBind: boolean = spawnSync('taskset', ['-c', '1', 'true']).status === 0

/** Binds a running process to a core. */
export function bind(pid: number, core: number): void {
  if (canBind) spawnSync('taskset', ['-a', '-p', '-c', `${core}`, `${pid}`])
}

/** The command that starts Node or another program, bound to a core if one is given. */
export function launcher(
  program: string,
  options: readonly string[],
  core: number | undefined,
): { execPath: string; execArgv: string[] } {
  if (core === undefined || !canBind) return { execPath: program, execArgv: [...options] }
  return { execPath: 'taskset', execArgv: ['-c', `${core}`, program, ...options] }
}
