import { randomWord } from "../random.ts";

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

export type TokenStore = ReturnType<typeof createTokenStore>;

export type SavedTokens = {
  readonly accesses: readonly (readonly [token: string, AccessGrant])[];
  readonly refreshes: readonly (readonly [token: string, Grant])[];
};

/** Not documented by Twitch; long enough for any redirect and short enough for tests. */
const CODE_LIFETIME_MS = 10 * 60_000;
/** Samples in Twitch's docs range from 13,669 to 14,442 s (docs/twitch.md#tokens). */
const USER_LIFETIME_SEC = 14_124;
/** About 58 days. */
const APP_LIFETIME_SEC = 5_011_271;

/** The authorization state of id.twitch.tv. */
export function createTokenStore(now: () => number) {
  const codes = new Map<string, CodeGrant & { readonly expiresAt: number }>();
  const accesses = new Map<string, AccessGrant>();
  const refreshes = new Map<string, Grant>();
  let rotates = true;

  function issueAccess(grant: Grant, lifetimeSec: number): string {
    const accessToken = randomWord(30);
    accesses.set(accessToken, {
      clientId: grant.clientId,
      accountId: grant.accountId,
      scopes: grant.scopes,
      expiresAt: now() + lifetimeSec * 1_000,
    });
    return accessToken;
  }

  function drop(tokens: Map<string, Grant>, accountId: string | null): void {
    for (const [token, grant] of tokens) if (grant.accountId === accountId) tokens.delete(token);
  }

  return {
    issueCode(grant: CodeGrant): string {
      const code = randomWord(30);
      codes.set(code, { ...grant, expiresAt: now() + CODE_LIFETIME_MS });
      return code;
    },
    /** Null for unknown, expired and used codes; a code can be exchanged once, even if that fails. */
    takeCode(code: string): CodeGrant | null {
      const grant = codes.get(code);
      codes.delete(code);
      return grant !== undefined && grant.expiresAt > now() ? grant : null;
    },
    issueUserTokens(grant: Grant): IssuedTokens {
      const refreshToken = randomWord(50);
      refreshes.set(refreshToken, grant);
      const accessToken = issueAccess(grant, USER_LIFETIME_SEC);
      return { accessToken, refreshToken, expiresInSec: USER_LIFETIME_SEC };
    },
    issueAppToken(clientId: string): IssuedTokens {
      const accessToken = issueAccess({ clientId, accountId: null, scopes: [] }, APP_LIFETIME_SEC);
      return { accessToken, refreshToken: null, expiresInSec: APP_LIFETIME_SEC };
    },
    refresh(refreshToken: string, clientId: string) {
      const grant = refreshes.get(refreshToken);
      if (grant === undefined || grant.clientId !== clientId) return null;
      let next = refreshToken;
      if (rotates) {
        next = randomWord(50);
        refreshes.delete(refreshToken);
        refreshes.set(next, grant);
      }
      const accessToken = issueAccess(grant, USER_LIFETIME_SEC);
      return { accessToken, refreshToken: next, expiresInSec: USER_LIFETIME_SEC, grant };
    },
    readAccess(accessToken: string): AccessGrant | null {
      const access = accesses.get(accessToken);
      return access !== undefined && access.expiresAt > now() ? access : null;
    },
    revoke: (accessToken: string) => accesses.delete(accessToken),
    /** Disconnects the account from the app: all of its tokens become invalid. */
    disconnect(accountId: string): void {
      drop(accesses, accountId);
      drop(refreshes, accountId);
    },
    /** Expires an account's access tokens but not its refresh tokens. */
    expireAccess: (accountId: string | null) => drop(accesses, accountId),
    setRotation(value: boolean): void {
      rotates = value;
    },
    /** All valid tokens, for restoring after a restart. */
    save: (): SavedTokens => ({ accesses: [...accesses], refreshes: [...refreshes] }),
    restore(saved: SavedTokens): void {
      for (const [token, access] of saved.accesses) accesses.set(token, access);
      for (const [token, refresh] of saved.refreshes) refreshes.set(token, refresh);
    },
  };
}
