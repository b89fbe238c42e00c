import type { RandomSource } from "../random.ts";

type Grant = {
  readonly clientId: string;
  /** Null for an app token. */
  readonly accountId: string | null;
  readonly scopes: readonly string[];
};

type CodeGrant = Grant & {
  readonly accountId: string;
  readonly redirectUri: string;
  readonly nonce: string | null;
};

export type AccessGrant = Grant & { readonly expiresAt: number };

export type IssuedTokens = {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly expiresInSec: number;
};

/** The authorization state of id.twitch.tv. */
export type TokenStore = {
  issueCode(grant: CodeGrant): string;
  /** Null for unknown, expired and used codes; a code can be exchanged once, even if that fails. */
  takeCode(code: string): CodeGrant | null;
  issueUserTokens(grant: Grant): IssuedTokens;
  issueAppToken(clientId: string): IssuedTokens;
  refresh(refreshToken: string, clientId: string): (IssuedTokens & { grant: Grant }) | null;
  readAccess(accessToken: string): AccessGrant | null;
  revoke(accessToken: string): boolean;
  /** Disconnects the account from the app: all of its tokens become invalid. */
  disconnect(accountId: string): number;
  /** Expires an account's access tokens but not its refresh tokens. */
  expireAccess(accountId: string | null): number;
  setRotation(rotates: boolean): void;
  /** All valid tokens, for restoring after a restart. */
  save(): SavedTokens;
  restore(saved: SavedTokens): void;
};

type Access = AccessGrant & { readonly refreshFamily: string | null };
type Refresh = { readonly grant: Grant; readonly family: string };

export type SavedTokens = {
  readonly accesses: readonly (readonly [token: string, Access])[];
  readonly refreshes: readonly (readonly [token: string, Refresh])[];
};

/** Not documented by Twitch; long enough for any redirect and short enough for tests. */
const CODE_LIFETIME_MS = 10 * 60_000;
/** Samples in Twitch's docs range from 13,669 to 14,442 s (docs/twitch.md#tokens). */
const USER_LIFETIME_SEC = 14_124;
/** About 58 days. */
const APP_LIFETIME_SEC = 5_011_271;
/** Twitch keeps 50 valid access tokens per refresh token and drops the oldest. */
const MAX_ACCESS_PER_GRANT = 50;
const MAX_CODES = 10_000;
/** Load tests never stop signing in; the oldest tokens are dropped. */
const MAX_TOKENS = 50_000;

export function createTokenStore(random: RandomSource, now: () => number): TokenStore {
  const codes = new Map<string, CodeGrant & { readonly expiresAt: number }>();
  const accesses = new Map<string, Access>();
  const refreshes = new Map<string, Refresh>();
  let rotates = true;

  function issueAccess(grant: Grant, family: string | null, lifetimeSec: number): string {
    const accessToken = random.word(30);
    dropOldest(accesses, MAX_TOKENS);
    accesses.set(accessToken, {
      clientId: grant.clientId,
      accountId: grant.accountId,
      scopes: grant.scopes,
      expiresAt: now() + lifetimeSec * 1_000,
      refreshFamily: family,
    });
    if (family !== null) {
      const live = [...accesses].filter(([, access]) => access.refreshFamily === family);
      for (const [oldest] of live.slice(0, Math.max(0, live.length - MAX_ACCESS_PER_GRANT))) {
        accesses.delete(oldest);
      }
    }
    return accessToken;
  }

  return {
    issueCode(grant) {
      dropOldest(codes, MAX_CODES);
      const code = random.word(30);
      codes.set(code, { ...grant, expiresAt: now() + CODE_LIFETIME_MS });
      return code;
    },
    takeCode(code) {
      const grant = codes.get(code);
      codes.delete(code);
      return grant !== undefined && grant.expiresAt > now() ? grant : null;
    },
    issueUserTokens(grant) {
      const refreshToken = random.word(50);
      dropOldest(refreshes, MAX_TOKENS);
      refreshes.set(refreshToken, { grant, family: refreshToken });
      const accessToken = issueAccess(grant, refreshToken, USER_LIFETIME_SEC);
      return { accessToken, refreshToken, expiresInSec: USER_LIFETIME_SEC };
    },
    issueAppToken(clientId) {
      const accessToken = issueAccess(
        { clientId, accountId: null, scopes: [] },
        null,
        APP_LIFETIME_SEC,
      );
      return { accessToken, refreshToken: null, expiresInSec: APP_LIFETIME_SEC };
    },
    refresh(refreshToken, clientId) {
      const known = refreshes.get(refreshToken);
      if (known === undefined || known.grant.clientId !== clientId) {
        return null;
      }
      let next = refreshToken;
      if (rotates) {
        next = random.word(50);
        refreshes.delete(refreshToken);
        refreshes.set(next, known);
      }
      const accessToken = issueAccess(known.grant, known.family, USER_LIFETIME_SEC);
      return {
        accessToken,
        refreshToken: next,
        expiresInSec: USER_LIFETIME_SEC,
        grant: known.grant,
      };
    },
    readAccess(accessToken) {
      const access = accesses.get(accessToken);
      return access !== undefined && access.expiresAt > now() ? access : null;
    },
    revoke: (accessToken) => accesses.delete(accessToken),
    disconnect(accountId) {
      let ended = 0;
      for (const [token, access] of accesses) {
        if (access.accountId === accountId) {
          accesses.delete(token);
          ended += 1;
        }
      }
      for (const [token, { grant }] of refreshes) {
        if (grant.accountId === accountId) {
          refreshes.delete(token);
          ended += 1;
        }
      }
      return ended;
    },
    expireAccess(accountId) {
      let ended = 0;
      for (const [token, access] of accesses) {
        if (access.accountId === accountId) {
          accesses.delete(token);
          ended += 1;
        }
      }
      return ended;
    },
    setRotation(value) {
      rotates = value;
    },
    save: () => ({ accesses: [...accesses], refreshes: [...refreshes] }),
    restore(saved) {
      for (const [token, access] of saved.accesses) {
        accesses.set(token, access);
      }
      for (const [token, refresh] of saved.refreshes) {
        refreshes.set(token, refresh);
      }
    },
  };
}

function dropOldest(map: Map<string, unknown>, maxSize: number): void {
  const oldest = map.keys().next();
  if (map.size >= maxSize && oldest.done !== true) {
    map.delete(oldest.value);
  }
}
