/** Does not follow redirects: callers check each hop. */
export type OutgoingFetch = (url: string, init?: RequestInit) => Promise<Response>;
