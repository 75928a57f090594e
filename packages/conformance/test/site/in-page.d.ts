export function pathsOf(links: readonly unknown[]): string[]
export function groundOf(element: unknown): string
