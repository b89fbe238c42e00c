import type { CustomVod } from "./catalog/custom-vod.ts";
import type { AccountTable } from "./oauth/accounts.ts";
import type { TokenStore } from "./oauth/token-store.ts";
import type { FaultList } from "./faults/fault-list.ts";
import type { EventSubscription } from "./helix/event-subscriptions.ts";
import type { RateBuckets } from "./helix/rate-bucket.ts";
import type { RequestLedger } from "./ledger/request-ledger.ts";
import type { RandomSource } from "./random.ts";
import type { VodTable } from "./catalog/vod-table.ts";

/** Everything the stand-in knows; handlers read and change it, and nothing else holds state. */
export type World = {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Null: any loopback address will do. */
  readonly redirectUris: readonly string[] | null;
  readonly now: () => number;
  readonly random: RandomSource;
  readonly accounts: AccountTable;
  readonly tokens: TokenStore;
  readonly vods: VodTable;
  /** VODs that were added, as they were asked for. */
  readonly addedVods: AddedVod[];
  readonly faults: FaultList;
  readonly rates: RateBuckets;
  readonly ledger: RequestLedger;
  readonly subscriptions: Map<string, EventSubscription>;
  readonly settings: Settings;
  /** Signs playback tokens; only this server checks them. */
  readonly playbackSecret: Uint8Array;
  /** Known once the server listens. */
  readonly baseUrl: () => string;
  readonly closing: AbortSignal;
  /** Work that outlives its request; `close` waits for it. */
  readonly background: (work: Promise<unknown>) => void;
};

export type AddedVod = {
  readonly id: string;
  readonly custom: CustomVod;
  readonly addedAt: number;
};

/** What tests may turn; `reset` brings the defaults back. */
export type Settings = {
  appName: string;
  /**
   * The docs' prose says 401, their example and all recorded answers 400 (docs/twitch.md#tokens).
   */
  deadRefreshStatus: 400 | 401;
  /** Persisted queries are answered PersistedQueryNotFound. */
  persistedQueriesAreGone: boolean;
  /** How long a playback token is good; recorded: 20 hours (docs/twitch.md#web-api). */
  playbackTokenSec: number;
  /** Claims that identity tokens carry instead of the true ones. */
  identityClaims: Readonly<Record<string, unknown>>;
};

export function defaultSettings(): Settings {
  return {
    appName: "Vodkeep",
    deadRefreshStatus: 400,
    persistedQueriesAreGone: false,
    playbackTokenSec: 20 * 3_600,
    identityClaims: {},
  };
}
