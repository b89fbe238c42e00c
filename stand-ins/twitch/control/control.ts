import type { Claims, TwitchPart } from "../catalog/claims.ts";
import { makeCustomVod, type CustomVod } from "../catalog/custom-vod.ts";
import type { Vod } from "../catalog/vod.ts";
import type { NewFault } from "../faults/fault.ts";
import type { LedgerEntry, LedgerSummary } from "../ledger/request-ledger.ts";
import { digestSource, type SourceDigest } from "../media/source-digest.ts";
import type { Account, NewAccount } from "../oauth/accounts.ts";
import type { Settings, World } from "../world.ts";
import type { Broadcast, Schedule } from "#stand-ins/twitch/broadcasts/broadcasts.ts";
import type { ListFault } from "#stand-ins/twitch/faults/list-fault.ts";

/** Controls the stand-in in tests; see control-routes.ts for HTTP. */
export type TwitchControl = ChannelControl & {
  addVod(custom?: CustomVod): VodSummary;
  vods(): VodSummary[];
  /** Removes the VOD from Helix, GQL, usher and the CDN. False when it does not exist. */
  deleteVod(vodId: string): boolean;
  /** The playlist gets a new name, and the segments' old names return 403. */
  mute(vodId: string, indices: readonly number[]): void;
  /** The rendition is no longer offered, and its files are gone; `chunked` is the source. */
  removeRendition(vodId: string, groupId: string): void;
  grow(vodId: string, segments: number): void;
  end(vodId: string): void;
  /** From now on this part of Twitch says this of the VOD; nothing: what is so. */
  claim(vodId: string, part: TwitchPart, claims?: Claims): void;
  /** As when its owner unpublishes it: only the CDN still has it. */
  hide(vodId: string): void;
  /** Of the source rendition unless `groupId` names another. */
  sourceDigest(vodId: string, groupId?: string): Promise<SourceDigest>;

  /** Without `times` and `forMs` it applies once. */
  addFault(fault: NewFault): void;
  clearFaults(): void;

  addAccount(account?: NewAccount): Account;
  /** Revokes all tokens, as a user does on twitch.tv. */
  disconnect(accountId: string): void;
  /** Expires access tokens but not refresh tokens; null means app tokens. */
  expireTokens(accountId: string | null): void;
  setRate(rate: { readonly pointsPerMinute?: number }): void;
  setRefreshRotation(rotates: boolean): void;
  change(settings: Partial<Settings>): void;

  requests(filter?: RequestFilter): LedgerEntry[];
  ledger(): LedgerSummary;
  /** The bytes sent of each segment, by its index. */
  served(vodId: string): Readonly<Record<string, number>>;
  resetLedger(): void;
};

type RequestFilter = {
  readonly vodId?: string;
  readonly kind?: LedgerEntry["kind"];
  readonly segmentIndex?: number;
};

type VodSummary = Pick<Vod, "id" | "ownerId" | "streamId">;

export function createControl(world: World): TwitchControl {
  function vodOf(vodId: string): Vod {
    const vod = world.vods.get(vodId);
    if (vod === null) throw new Error(`the stand-in has no VOD ${vodId}`);
    return vod;
  }

  return {
    ...createChannelControl(world),
    addVod(custom = {}) {
      const addedAt = world.now();
      const vod = makeCustomVod(world.vods.nextId(), custom, addedAt);
      world.vods.add(vod);
      world.broadcasts.expire(vod);
      world.addedVods.push({ id: vod.id, custom, addedAt });
      return summarize(vod);
    },
    vods: () => world.vods.all().map((vod) => summarize(vod)),
    deleteVod: (vodId) => world.vods.delete(vodId),
    mute(vodId, indices) {
      const vod = vodOf(vodId);
      for (const index of indices) vod.muted.add(index);
      vod.muteRound += 1;
    },
    removeRendition(vodId, groupId) {
      vodOf(vodId).removedRenditions.add(groupId);
    },
    grow(vodId, segments) {
      vodOf(vodId).segmentCount += segments;
    },
    end(vodId) {
      vodOf(vodId).status = "RECORDED";
    },
    claim(vodId, part, claims = {}) {
      vodOf(vodId).claims[part] = claims;
    },
    hide(vodId) {
      const { claims } = vodOf(vodId);
      for (const part of ["helix", "webApi", "usher"] as const) claims[part] = { isMissing: true };
    },
    sourceDigest: (vodId, groupId = "chunked") => digestSource(vodOf(vodId), groupId),

    addFault: (fault) => world.faults.add(fault),
    clearFaults() {
      world.faults.clear();
      world.listFaults.clear();
    },

    addAccount: (account = {}) => world.accounts.add(account),
    disconnect: (accountId) => world.tokens.disconnect(accountId),
    expireTokens: (accountId) => world.tokens.expireAccess(accountId),
    setRate: (rate) => world.rates.setRate(rate),
    setRefreshRotation: (rotates) => world.tokens.setRotation(rotates),
    change: (settings) => void Object.assign(world.settings, settings),

    requests: (filter = {}) =>
      world.ledger
        .entries()
        .filter(
          (entry) =>
            (filter.vodId === undefined || entry.vodId === filter.vodId) &&
            (filter.kind === undefined || entry.kind === filter.kind) &&
            (filter.segmentIndex === undefined || entry.segmentIndex === filter.segmentIndex),
        ),
    ledger: () => world.ledger.summary(),
    served: (vodId) => Object.fromEntries(world.ledger.sentBySegment(vodId)),
    resetLedger: () => world.ledger.reset(),
  };
}

function summarize({ id, ownerId, streamId }: Vod): VodSummary {
  return { id, ownerId, streamId };
}

/** Controls channels: what is live and when, what Helix lists of them, and the time. */
type ChannelControl = {
  /** Ends what is live there. Returns the stream's id. */
  goLive(accountId: string, broadcast?: Broadcast): string;
  endStream(accountId: string): void;
  /** Broadcasts again and again from now on. */
  schedule(accountId: string, schedule: Schedule): void;
  /** The age at which the account's past broadcasts are deleted; null: never. */
  keep(accountId: string, days: number | null): void;
  /** Without `forMs` until it is ended; null ends all faults of the account's lists. */
  listFault(accountId: string, fault: ListFault | null, forMs?: number): void;
  /** Moves the stand-in's clock on. */
  advance(ms: number): void;
};

function createChannelControl(world: World): ChannelControl {
  return {
    goLive(accountId, broadcast = {}) {
      const { id } = world.broadcasts.start(accountId, broadcast);
      world.broadcasts.settle();
      return id;
    },
    endStream: (accountId) => world.broadcasts.end(accountId),
    schedule: (accountId, schedule) => world.broadcasts.schedule(accountId, schedule),
    keep(accountId, days) {
      const account = world.accounts.get(accountId);
      if (account === null) throw new Error(`the stand-in has no account ${accountId}`);
      world.accounts.add({ ...account, keepsDays: days });
      for (const vod of world.vods.byOwner(accountId)) world.broadcasts.expire(vod);
    },
    listFault: (accountId, fault, forMs) => world.listFaults.set(accountId, fault, forMs),
    advance(ms) {
      world.timetable.advance(ms);
      world.broadcasts.settle();
    },
  };
}
