import type { RequestKind } from "../http/exchange.ts";

/** An answered request. Excludes the query string, which may contain tokens. */
export type LedgerEntry = {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly kind: RequestKind;
  readonly vodId: string | null;
  readonly segmentIndex: number | null;
  readonly status: number;
  readonly sentBytes: number;
  /** The type of the applied fault. */
  readonly fault: string | null;
  readonly durationMs: number;
};

export type VodTally = {
  readonly requests: number;
  readonly sentBytes: number;
  /** By segment index; init segments are only counted in the totals. */
  readonly segments: ReadonlyMap<number, { readonly requests: number; readonly sentBytes: number }>;
};

export type LedgerSummary = {
  readonly totalRequests: number;
  readonly totalSentBytes: number;
  readonly requestsByKind: Readonly<Partial<Record<RequestKind, number>>>;
  readonly openMedia: number;
  readonly peakOpenMedia: number;
};

export type RequestLedger = {
  /** Call when a media response starts, and the returned function when it ends. */
  openMedia(): () => void;
  record(entry: LedgerEntry): void;
  entries(): LedgerEntry[];
  vod(vodId: string): VodTally;
  summary(): LedgerSummary;
  reset(): void;
};

/** Maximum number of entries: enough for any test, and bounded over weeks. */
const MAX_ENTRIES = 10_000;
type Tally = {
  requests: number;
  sentBytes: number;
  segments: Map<number, { requests: number; sentBytes: number }>;
};

export function createRequestLedger(): RequestLedger {
  let entries: LedgerEntry[] = [];
  let vods = new Map<string, Tally>();
  let byKind: Partial<Record<RequestKind, number>> = {};
  let totalRequests = 0;
  let totalSentBytes = 0;
  let open = 0;
  let peak = 0;

  function tallyOf(vodId: string): Tally {
    const tally = vods.get(vodId) ?? { requests: 0, sentBytes: 0, segments: new Map() };
    vods.set(vodId, tally);
    return tally;
  }

  return {
    openMedia() {
      open += 1;
      peak = Math.max(peak, open);
      let isOpen = true;
      return () => {
        if (isOpen) {
          isOpen = false;
          open -= 1;
        }
      };
    },
    record(entry) {
      totalRequests += 1;
      totalSentBytes += entry.sentBytes;
      byKind[entry.kind] = (byKind[entry.kind] ?? 0) + 1;
      entries.push(entry);
      if (entries.length >= MAX_ENTRIES * 2) {
        entries = entries.slice(-MAX_ENTRIES);
      }
      if (entry.vodId !== null && (entry.kind === "segment" || entry.kind === "init")) {
        const tally = tallyOf(entry.vodId);
        tally.requests += 1;
        tally.sentBytes += entry.sentBytes;
        if (entry.segmentIndex !== null) {
          const segment = tally.segments.get(entry.segmentIndex) ?? { requests: 0, sentBytes: 0 };
          segment.requests += 1;
          segment.sentBytes += entry.sentBytes;
          tally.segments.set(entry.segmentIndex, segment);
        }
      }
    },
    entries: () => entries.slice(-MAX_ENTRIES),
    vod: (vodId) => vods.get(vodId) ?? { requests: 0, sentBytes: 0, segments: new Map() },
    summary: () => ({
      totalRequests,
      totalSentBytes,
      requestsByKind: { ...byKind },
      openMedia: open,
      peakOpenMedia: peak,
    }),
    reset() {
      entries = [];
      vods = new Map();
      byKind = {};
      totalRequests = 0;
      totalSentBytes = 0;
      peak = open;
    },
  };
}
