import type { Vod } from "../catalog/vod.ts";

/** What is wrong with Helix's lists about an account. Several of different types may apply. */
export type ListFault =
  /** Leaves out these VODs, or every n-th that is listed, counted over all answers. */
  | { readonly type: "skip"; readonly vodIds?: readonly string[]; readonly every?: number }
  /** Each page begins with the last item of the page before. */
  | { readonly type: "repeat" }
  /** The oldest first. */
  | { readonly type: "reverse" }
  /** Another account's VODs in between. */
  | { readonly type: "strangers"; readonly accountId: string }
  /** So many pages without items, but with a cursor, come first. */
  | { readonly type: "emptyPages"; readonly pages: number }
  /** The last page follows itself for ever. */
  | { readonly type: "endless" }
  /** This page, counted from 1, answers with an error. */
  | { readonly type: "pageFails"; readonly page: number; readonly status: number }
  /** The list as it was: new VODs are not in it, and deleted ones still are. */
  | { readonly type: "stale" }
  /** Get Streams leaves the channel out so many times, although it is live; once by default. */
  | { readonly type: "notLive"; readonly times?: number };

type FaultOf<Type> = Extract<ListFault, { readonly type: Type }>;

type Active = {
  readonly fault: ListFault;
  readonly untilMs: number;
  /** The account's VODs when the fault began. */
  readonly before: readonly Vod[];
  uses: number;
};

export type ListFaults = ReturnType<typeof createListFaults>;

/** @param now milliseconds, for faults that end at a time */
export function createListFaults(now: () => number, vodsOf: (accountId: string) => readonly Vod[]) {
  const ofAccounts = new Map<string, Active[]>();

  function find(accountId: string, type: ListFault["type"]): Active | undefined {
    return ofAccounts
      .get(accountId)
      ?.find(({ fault, untilMs }) => fault.type === type && now() < untilMs);
  }

  return {
    /** Replaces the account's fault of the same type; null ends all of the account. */
    set(accountId: string, fault: ListFault | null, forMs = Infinity): void {
      const all = ofAccounts.get(accountId) ?? [];
      if (fault === null) {
        ofAccounts.delete(accountId);
        return;
      }
      const active = { fault, untilMs: now() + forMs, before: vodsOf(accountId), uses: 0 };
      ofAccounts.set(accountId, [...all.filter((each) => each.fault.type !== fault.type), active]);
    },
    take<Type extends ListFault["type"]>(accountId: string, type: Type): FaultOf<Type> | null {
      const active = find(accountId, type);
      if (active === undefined || !isOf(active.fault, type)) return null;
      active.uses += 1;
      return active.uses > timesOf(active.fault) ? null : active.fault;
    },
    /** Whether `skip` leaves this item out. */
    skips(accountId: string, vodId: string): boolean {
      const active = find(accountId, "skip");
      if (active === undefined || !isOf(active.fault, "skip")) return false;
      active.uses += 1;
      const { vodIds = [], every = Infinity } = active.fault;
      return vodIds.includes(vodId) || active.uses % every === 0;
    },
    /** The account's VODs, those of another time if its list is stale. */
    vods: (accountId: string) => find(accountId, "stale")?.before ?? vodsOf(accountId),
    clear: () => ofAccounts.clear(),
  };
}

function timesOf(fault: ListFault): number {
  return fault.type === "notLive" ? (fault.times ?? 1) : Infinity;
}

function isOf<Type extends ListFault["type"]>(
  fault: ListFault,
  type: Type,
): fault is FaultOf<Type> {
  return fault.type === type;
}
