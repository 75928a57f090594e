// A part of negotiator: the whole would add the negotiation of languages and encodings to every program.
declare module 'negotiator/lib/mediaType.js' {
  /** Those of the provided types that a header `Accept` accepts, the preferred one first. */
  export default function preferredMediaTypes(
    accept: string,
    provided: readonly string[],
  ): readonly string[]
}
