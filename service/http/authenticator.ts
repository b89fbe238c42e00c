import type { Principal } from "./route.ts";

/** The credentials of a request, not verified yet. */
export type Credentials = {
  readonly cookie: string | null;
  readonly bearer: string | null;
  /** A presented value cannot be a token: refuse the request, whatever its other credentials. */
  readonly isMalformed: boolean;
};

export type Authenticator = {
  readCredentials(request: Request): Credentials;
  /**
   * The live session or API token of the credentials, or null. Notes the use of a token. Ends a session whose replaced bearer is reused.
   */
  authenticate(credentials: Credentials, clientAddress: string): Promise<Principal | null>;
  /** For event streams, whose `token` parameter holds a ticket or the bearer. */
  authenticateStream(token: string, credentials: Credentials): Promise<Principal | null>;
};
