import type { Broadcasts } from "./broadcasts/broadcasts.ts";
import type { Timetable } from "./broadcasts/timetable.ts";
import type { CustomVod } from "./catalog/custom-vod.ts";
import type { AccountTable } from "./oauth/accounts.ts";
import type { DeviceTable } from "./oauth/device.ts";
import type { TokenStore } from "./oauth/token-store.ts";
import type { FaultList } from "./faults/fault-list.ts";
import type { ListFaults } from "./faults/list-fault.ts";
import type { RateBuckets } from "./helix/rate-bucket.ts";
import type { RequestLedger } from "./ledger/request-ledger.ts";
import type { VodTable } from "./catalog/vod-table.ts";

/** The application that is registered. */
export const APPLICATION = {
  clientId: "standinclientid",
  clientSecret: "standinclientsecret",
} as const;

/** All state of the stand-in; handlers read and change it. */
export type World = {
  /** Null: any loopback URI is allowed. */
  readonly redirectUris: readonly string[] | null;
  readonly now: () => number;
  readonly accounts: AccountTable;
  readonly tokens: TokenStore;
  readonly devices: DeviceTable;
  readonly vods: VodTable;
  /** VODs added by tests, as requested. */
  readonly addedVods: AddedVod[];
  readonly timetable: Timetable;
  readonly broadcasts: Broadcasts;
  readonly faults: FaultList;
  readonly listFaults: ListFaults;
  readonly rates: RateBuckets;
  readonly ledger: RequestLedger;
  readonly settings: Settings;
  /** Signs playback tokens; only this server verifies them. */
  readonly playbackSecret: Uint8Array;
  /** Available once the server listens. */
  readonly baseUrl: () => string;
  readonly addresses: () => Addresses;
};

/** Base addresses in answers. At Twitch, they are on hosts of their own. */
export type Addresses = {
  /** The issuer of identity tokens. */
  readonly signIn: string;
  readonly media: string;
  readonly pictures: string;
};

export type AddedVod = {
  readonly id: string;
  readonly custom: CustomVod;
  readonly addedAt: number;
};

/** Settings for tests. */
export type Settings = {
  /**
   * Twitch's text says 401; its example and all recorded responses say 400 (docs/twitch.md#tokens).
   */
  deadRefreshStatus: 400 | 401;
  /** Claims that replace those of identity tokens. */
  identityClaims: Readonly<Record<string, unknown>>;
};
