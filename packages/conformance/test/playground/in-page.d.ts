export function focused(): { readonly name: string; readonly outline: string }
export function tooWide(): string[]
export function faintTexts(): string[]
export function redrawsWithin(ms: number): Promise<number>
