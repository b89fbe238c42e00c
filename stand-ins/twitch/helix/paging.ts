/** A place in a list: how many items come before it, and the number of the page, from 1. */
type Place = { readonly from: number; readonly page: number };

const MAX_FIRST = 100;
const DEFAULT_FIRST = 20;

/** Reads `first` and `after`; returns the message of the 400 response for a value that Helix refuses. */
export function readPlace(query: URLSearchParams): (Place & { first: number }) | string {
  const first = Number(query.get("first") ?? DEFAULT_FIRST);
  if (!Number.isInteger(first) || first < 1 || first > MAX_FIRST)
    return 'The parameter "first" was malformed: the value must be less than or equal to 100';
  const after = query.get("after");
  if (after === null) return { from: 0, page: 1, first };
  const text = Buffer.from(after, "base64url").toString("utf8");
  const [, from, page] = /^place:(\d+):(\d+)$/.exec(text) ?? [];
  if (from === undefined) return 'The parameter "after" was malformed: the value is not a cursor';
  return { from: Number(from), page: Number(page), first };
}

/** Opaque to clients, and, like Twitch's, a position: new items move the next page. */
export function cursorTo({ from, page }: Place): { readonly cursor: string } {
  return { cursor: Buffer.from(`place:${from}:${page}`).toString("base64url") };
}
