export function pathsOf(links: readonly unknown[]): string[]
export function cutTables(tables: readonly unknown[]): string[]
export function groundOf(element: unknown): string
