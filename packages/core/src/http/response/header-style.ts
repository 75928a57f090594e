/**
 * The style of the rate limit headers. `draft` is draft-ietf-httpapi-ratelimit-headers-10, `draft-7` and `draft-6` are earlier revisions of it. `legacy`
 * and `legacy-epoch` write `X-RateLimit-*`, with the reset in seconds from now or as a date in seconds since 1970.
 */
export type HeaderStyle = 'draft' | 'draft-7' | 'draft-6' | 'legacy' | 'legacy-epoch' | 'none'
