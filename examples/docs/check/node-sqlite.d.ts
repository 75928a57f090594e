// The declarations of Node.js 20 do not have this module.
declare module 'node:sqlite' {
  export class DatabaseSync {
    constructor(file: string)
    exec(sql: string): void
    prepare(sql: string): {
      get(...values: (string | number | Uint8Array)[]): unknown
      run(...values: (string | number | Uint8Array)[]): { changes: number | bigint }
    }
  }
}
