/** Never follows redirects on its own: callers re-check each hop. */
export type OutgoingFetch = (url: string, init?: RequestInit) => Promise<Response>;
