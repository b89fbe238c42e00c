import type { Credentials } from "#service/auth/authenticator.ts";
import type { Principal } from "./route.ts";

/** Whom a request is counted for. */
export type KnownSession = Pick<Principal, "sessionId" | "userId">;

/**
 * Whose session credentials were when they were last accepted, so that a request can be counted
 * before the database is asked. It says nothing about whether the session still lives.
 */
export type KnownSessions = {
  find(credentials: Credentials): KnownSession | null;
  remember(credentials: Credentials, session: KnownSession): void;
  forget(credentials: Credentials): void;
};

/** Far more than sessions are in use at once; a forgotten one costs its address a request. */
const MAX_KNOWN = 20_000;

export function createKnownSessions(): KnownSessions {
  const known = new Map<string, KnownSession>();

  return {
    find: (credentials) => known.get(keyOf(credentials)) ?? null,
    remember(credentials, { sessionId, userId }) {
      const key = keyOf(credentials);
      known.delete(key);
      known.set(key, { sessionId, userId });
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
