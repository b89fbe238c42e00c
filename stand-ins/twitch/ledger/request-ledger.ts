import type { RequestKind } from "../http/exchange.ts";

/** An answered request. Excludes the query string, which may contain tokens. */
export type LedgerEntry = {
  readonly path: string;
  readonly kind: RequestKind;
  readonly vodId: string | null;
  readonly segmentIndex: number | null;
  /** The type of the applied fault. */
  readonly fault: string | null;
};

export type LedgerSummary = {
  readonly requestsByKind: Readonly<Partial<Record<RequestKind, number>>>;
  readonly openMedia: number;
};

export type RequestLedger = ReturnType<typeof createRequestLedger>;

/** Maximum number of entries: enough for any test, and bounded over weeks. */
const MAX_ENTRIES = 10_000;

export function createRequestLedger() {
  let entries: LedgerEntry[] = [];
  let vods = new Map<string, Map<number, number>>();
  let byKind: Partial<Record<RequestKind, number>> = {};
  let open = 0;

  return {
    /** Call when a media response starts, and the returned function when it ends. */
    openMedia() {
      open += 1;
      return () => {
        open -= 1;
      };
    },
    record(entry: LedgerEntry, sentBytes: number): void {
      const { kind, vodId, segmentIndex } = entry;
      byKind[kind] = (byKind[kind] ?? 0) + 1;
      entries.push(entry);
      if (entries.length >= MAX_ENTRIES * 2) entries = entries.slice(-MAX_ENTRIES);
      if (kind === "segment" && vodId !== null && segmentIndex !== null) {
        const sent = vods.get(vodId) ?? new Map<number, number>();
        vods.set(vodId, sent.set(segmentIndex, (sent.get(segmentIndex) ?? 0) + sentBytes));
      }
    },
    entries: () => entries.slice(-MAX_ENTRIES),
    /** The bytes sent of each segment of the VOD, by its index. */
    sentBySegment: (vodId: string) => vods.get(vodId) ?? new Map<number, number>(),
    summary: (): LedgerSummary => ({ requestsByKind: { ...byKind }, openMedia: open }),
    reset(): void {
      entries = [];
      vods = new Map();
      byKind = {};
    },
  };
}
