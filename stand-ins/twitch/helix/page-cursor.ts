/** Opaque cursors over lists of constant order: the offset, encoded like Twitch's. */
export type Page<T> = { readonly items: readonly T[]; readonly cursor: string | null };

export function readFirst(query: URLSearchParams): number | null {
  const text = query.get("first");
  if (text === null) {
    return 20;
  }
  const first = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return first >= 1 && first <= 100 ? first : null;
}

export function cutPage<T>(
  items: readonly T[],
  first: number,
  after: string | null,
  before: string | null,
): Page<T> | null {
  const afterOffset = after === null || after === "" ? 0 : readCursor(after);
  const beforeOffset = before === null || before === "" ? null : readCursor(before);
  if (afterOffset === null || (beforeOffset === null && before !== null && before !== "")) {
    return null;
  }
  const start = beforeOffset === null ? afterOffset : Math.max(0, beforeOffset - 2 * first);
  const end = start + first;
  return { items: items.slice(start, end), cursor: end < items.length ? writeCursor(end) : null };
}

export function writeCursor(offset: number): string {
  return Buffer.from(JSON.stringify({ b: null, a: { Offset: offset } })).toString("base64");
}

function readCursor(cursor: string): number | null {
  const offset = /^\{"b":null,"a":\{"Offset":(\d{1,9})\}\}$/.exec(
    Buffer.from(cursor, "base64").toString("utf8"),
  )?.[1];
  return offset === undefined ? null : Number(offset);
}
