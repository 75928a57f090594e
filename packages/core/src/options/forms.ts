// The forms of a function's options are a union of intersections: the options, those that a form requires, and those that it excludes. An editor shows the
// documentation of an option if the option is one symbol in all forms, and if that symbol is declared. So the options are a type literal: a generic
// interface has other symbols in each intersection, and for a mapped type TypeScript 7.0 shows nothing. The two types below are mapped types, because they
// must declare nothing.

/** Requires some options. */
export type Requiring<K extends string> = { readonly [N in K]: {} }

/** Excludes some options. */
export type Excluding<K extends string> = { readonly [N in K]?: undefined }
