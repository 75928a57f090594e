import { spawnSync } from 'node:child_process'

/** Whether processes can be kept apart, each on a core of its own. */
export const canBind: boolean = spawnSync('taskset', ['-c', '1', 'true']).status === 0

/** Binds a process that runs. */
export function bind(pid: number, core: number): void {
  if (canBind) spawnSync('taskset', ['-a', '-p', '-c', `${core}`, `${pid}`])
}

/** How Node is started, bound to a core from its first instruction on. */
export function launcher(
  node: readonly string[],
  core: number | undefined,
): { execPath: string; execArgv: string[] } {
  if (core === undefined || !canBind) return { execPath: process.execPath, execArgv: [...node] }
  return { execPath: 'taskset', execArgv: ['-c', `${core}`, process.execPath, ...node] }
}
