import { makeCustomVod, type CustomVod } from "../catalog/custom-vod.ts";
import { endBroadcast, growBy, muteSegments } from "../catalog/growth.ts";
import { durationSecOf, type Vod } from "../catalog/vod.ts";
import type { FaultRule, NewFault } from "../faults/fault.ts";
import { sendEvent, type EventOptions, type SentEvent } from "../helix/event-subscriptions.ts";
import type { LedgerEntry, LedgerSummary, VodTally } from "../ledger/request-ledger.ts";
import {
  digestSegment,
  digestSource,
  type SegmentDigest,
  type SourceDigest,
} from "../media/source-digest.ts";
import type { Account, NewAccount } from "../oauth/accounts.ts";
import { defaultSettings, type Settings, type World } from "../world.ts";

/** Controls the stand-in in tests. The HTTP routes under `/_control` offer the same methods. */
export type TwitchControl = {
  addVod(custom?: CustomVod): VodSummary;
  vods(): VodSummary[];
  /** Removes the VOD from Helix, GQL, usher and the CDN. False when it does not exist. */
  deleteVod(vodId: string): boolean;
  mute(vodId: string, indices: readonly number[]): VodSummary;
  grow(vodId: string, segments: number): VodSummary;
  end(vodId: string): VodSummary;
  sourceDigest(vodId: string, groupId?: string): Promise<SourceDigest>;
  segmentDigest(vodId: string, index: number, groupId?: string): SegmentDigest;

  /** Returns the rule's id. Without `times` it applies once. */
  addFault(fault: NewFault): number;
  faults(): FaultRule[];
  removeFault(id: number): boolean;
  clearFaults(): void;

  addAccount(account?: NewAccount): Account;
  accounts(): Account[];
  /** Revokes all tokens, as a user does on twitch.tv. Returns their number. */
  disconnect(accountId: string): number;
  /** Expires access tokens but not refresh tokens; null means app tokens. */
  expireTokens(accountId: string | null): number;
  setRate(rate: { readonly pointsPerMinute?: number }): void;
  setTokenLifetimes(lifetimes: { readonly userSec?: number; readonly appSec?: number }): void;
  setRefreshRotation(rotates: boolean): void;
  change(settings: Partial<Settings>): Settings;
  sendEvent(event: EventOptions): Promise<SentEvent[]>;

  requests(filter?: RequestFilter): LedgerEntry[];
  ledger(): LedgerSummary;
  served(vodId: string): VodTally;
  resetLedger(): void;
  /** Restores the initial catalog, accounts, tokens, faults, rates, settings and ledger. */
  reset(): void;
};

type RequestFilter = {
  readonly vodId?: string;
  readonly kind?: LedgerEntry["kind"];
  readonly segmentIndex?: number;
};

type VodSummary = {
  readonly id: string;
  readonly ownerId: string;
  readonly title: string;
  readonly status: Vod["status"];
  readonly segmentCount: number;
  readonly durationSec: number;
  readonly muted: readonly number[];
};

export class UnknownVod extends Error {
  override readonly name = "UnknownVod";
}

export function createControl(world: World): TwitchControl {
  function vodOf(vodId: string): Vod {
    const vod = world.vods.get(vodId);
    if (vod === null) {
      throw new UnknownVod(`the stand-in has no VOD ${vodId}`);
    }
    return vod;
  }

  function changed(vodId: string, change: (vod: Vod) => void): VodSummary {
    const vod = vodOf(vodId);
    change(vod);
    return summarize(vod);
  }

  return {
    addVod(custom = {}) {
      const addedAt = world.now();
      const vod = makeCustomVod(custom.id ?? world.vods.nextId(), custom, addedAt);
      world.vods.add(vod);
      world.addedVods.push({ id: vod.id, custom, addedAt });
      return summarize(vod);
    },
    vods: () => world.vods.all().map((vod) => summarize(vod)),
    deleteVod: (vodId) => world.vods.delete(vodId),
    mute: (vodId, indices) => changed(vodId, (vod) => muteSegments(vod, indices)),
    grow: (vodId, segments) => changed(vodId, (vod) => growBy(vod, segments)),
    end: (vodId) => changed(vodId, (vod) => endBroadcast(vod, world.now())),
    sourceDigest: (vodId, groupId) => digestSource(vodOf(vodId), groupId),
    segmentDigest: (vodId, index, groupId) => digestSegment(vodOf(vodId), index, groupId),

    addFault: (fault) => world.faults.add(fault),
    faults: () => world.faults.list(),
    removeFault: (id) => world.faults.remove(id),
    clearFaults: () => world.faults.clear(),

    addAccount: (account = {}) => world.accounts.add(account),
    accounts: () => world.accounts.all(),
    disconnect: (accountId) => world.tokens.disconnect(accountId),
    expireTokens: (accountId) => world.tokens.expireAccess(accountId),
    setRate: (rate) => world.rates.setRate(rate),
    setTokenLifetimes: (lifetimes) => world.tokens.setLifetimes(lifetimes),
    setRefreshRotation: (rotates) => world.tokens.setRotation(rotates),
    change: (settings) => Object.assign(world.settings, settings),
    sendEvent: (event) => sendEvent(world, event),

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
    served: (vodId) => world.ledger.vod(vodId),
    resetLedger: () => world.ledger.reset(),
    reset() {
      world.vods.reset();
      world.addedVods.length = 0;
      world.accounts.reset();
      world.tokens.reset();
      world.faults.clear();
      world.faults.resetScenarios();
      world.rates.reset();
      world.subscriptions.clear();
      world.ledger.reset();
      Object.assign(world.settings, defaultSettings());
    },
  };
}

function summarize(vod: Vod): VodSummary {
  return {
    id: vod.id,
    ownerId: vod.ownerId,
    title: vod.title,
    status: vod.status,
    segmentCount: vod.segmentCount,
    durationSec: durationSecOf(vod),
    muted: [...vod.muted].toSorted((left, right) => left - right),
  };
}
