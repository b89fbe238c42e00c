import type { Credentials } from "./authenticator.ts";
import type { Principal } from "./route.ts";

/** The session and user that a request is counted for. */
export type KnownSession = Pick<Principal, "sessionId" | "userId" | "token">;

/**
 * The session that credentials belonged to when they were last accepted, so that a request can be
 * counted before the database is queried. The session may have ended since.
 */
export type KnownSessions = {
  find(credentials: Credentials): KnownSession | null;
  remember(credentials: Credentials, session: KnownSession): void;
  forget(credentials: Credentials): void;
};

/** Far above the number of sessions in use; a forgotten one is counted once for its address. */
const MAX_KNOWN = 20_000;

export function createKnownSessions(): KnownSessions {
  const known = new Map<string, KnownSession>();

  return {
    find: (credentials) => known.get(keyOf(credentials)) ?? null,
    remember(credentials, { sessionId, userId, token }) {
      const key = keyOf(credentials);
      known.delete(key);
      known.set(key, { sessionId, userId, token });
      const [oldest] = known.keys();
      if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
    },
    forget(credentials) {
      known.delete(keyOf(credentials));
    },
  };
}

function keyOf({ cookie, bearer }: Credentials): string {
  return `${cookie ?? ""} ${bearer ?? ""}`;
}
