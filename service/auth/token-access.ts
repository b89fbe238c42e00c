import * as z from "zod/mini";
import { userIdSchema } from "#contract/ids.ts";
import { permissionSchema } from "#contract/permissions.ts";
import { hashToken } from "./session-tokens.ts";
import type { Account } from "./signed-in-user.ts";
import type { ServiceContext } from "#service/context.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Principal } from "#service/http/route.ts";
import { DatabaseError } from "#service/ports/database.ts";
import { TOKEN_RIGHTS } from "./access.ts";

/**
 * What a token opens: the intersection of its permissions and the present ones of its owner.
 *
 * A token is live until its end. Revocation deletes its row, and so do a ban, an erasure and the loss
 * of all rights ({@link endTokens}). While none of its rights is left, it opens nothing.
 */
export type TokenAccess = {
  /** The owner with the token's rights; null for a dead token. */
  find(token: string): Promise<Account | null>;
  /** The same for a request, whose time and address are noted at most once a minute. */
  use(token: string, clientAddress: string): Promise<Principal | null>;
};

/** For each batch that takes rights away: what was lost with them does not come back with them. */
export const endTokens = sql`DELETE FROM api_tokens
  WHERE user_id IN (SELECT id FROM users WHERE banned_at IS NOT NULL OR permissions = '[]')`;

const NOTE_EVERY_MS = 60_000;

const tokenRow = z.object({
  id: z.string(),
  name: z.string(),
  user_id: userIdSchema,
  login: z.string(),
  display_name: z.string(),
  profile_image_url: z.nullable(z.string()),
  permissions: jsonText(z.array(permissionSchema)),
  created_at: z.number(),
  last_used_at: z.nullable(z.number()),
});

export function createTokenAccess({
  platform: { database, digests, clock },
  log,
}: Pick<ServiceContext, "platform" | "log">): TokenAccess {
  async function find(token: string): Promise<z.infer<typeof tokenRow> | null> {
    const [row] = await database.all(sql`
      SELECT t.id, t.name, t.user_id, t.created_at, t.last_used_at, u.login, u.display_name,
        u.profile_image_url, ${TOKEN_RIGHTS} AS permissions
      FROM api_tokens t JOIN users u ON u.id = t.user_id
      WHERE t.digest = ${await hashToken(digests, token)} AND u.banned_at IS NULL
        AND (t.expires_at IS NULL OR t.expires_at > ${clock.now()})`);
    const found = row === undefined ? null : tokenRow.parse(row);
    return found === null || found.permissions.length === 0 ? null : found;
  }

  async function noteUse(id: string, address: string): Promise<void> {
    const nowMs = clock.now();
    try {
      await database.run(sql`
        UPDATE api_tokens SET last_used_at = ${nowMs}, last_used_address = ${address}
        WHERE id = ${id} AND coalesce(last_used_at, 0) <= ${nowMs - NOTE_EVERY_MS}`);
    } catch (error) {
      // Nothing but the list of tokens reads it.
      if (!(error instanceof DatabaseError)) throw error;
      log.warn("The last use of an API token could not be recorded", { error });
    }
  }

  return {
    find,
    async use(token, clientAddress) {
      const found = await find(token);
      if (found === null) return null;
      if (clock.now() - (found.last_used_at ?? 0) >= NOTE_EVERY_MS)
        await noteUse(found.id, clientAddress);
      return {
        sessionId: found.id,
        userId: found.user_id,
        login: found.login,
        isAdmin: true,
        permissions: found.permissions,
        signedInAtMs: found.created_at,
        token: { id: found.id, name: found.name },
      };
    },
  };
}
