import * as z from "zod/mini";
import { apiTokenSchema, createToken, listTokens, revokeToken } from "#contract/tokens.ts";
import type { ApiToken } from "#contract/tokens.ts";
import { ApiError } from "#service/api-error.ts";
import { publishRightsChanged } from "#service/auth/session-events.ts";
import { hashToken } from "#service/auth/session-tokens.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { instantColumn } from "#service/db/columns.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import { actorOf, principalOf, route, type Route } from "#service/http/route.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { toBase64Url } from "#service/secrets/base64-url.ts";
import { toHex } from "#service/secrets/hex.ts";

/** Each token has request limits of its own, and a list of this length can still be read. */
const MAX_TOKENS_PER_USER = 50;

export function tokenRoutes({ platform }: ServiceContext): Route[] {
  const { database, clock, digests, random } = platform;

  return [
    route(listTokens, async ({ context }) => {
      const { userId, permissions } = principalOf(context);
      const isMine = sql`t.user_id = ${userId}`;
      return {
        tokens: await findTokens(database, permissions.includes("write:users") ? sql`1` : isMine),
      };
    }),

    route(createToken, async ({ body, context }) => {
      const { userId, permissions } = principalOf(context);
      if (!body.permissions.every((each) => permissions.includes(each)))
        throw new ApiError("forbidden", "You can give a token only rights that you hold.");
      const token = `vk_${toBase64Url(random.bytes(32))}`;
      const id = toHex(random.bytes(8));
      const nowMs = clock.now();
      const expiresAtMs =
        body.expiresInDays === null ? null : nowMs + body.expiresInDays * 86_400_000;
      const [inserted] = await database.batch(
        recordedChange(
          sql`INSERT INTO api_tokens (id, user_id, name, digest, permissions, created_at, expires_at)
            SELECT ${id}, u.id, ${body.name}, ${await hashToken(digests, token)},
              ${JSON.stringify(body.permissions)}, ${nowMs}, ${expiresAtMs}
            FROM users u WHERE u.id = ${userId} AND u.banned_at IS NULL AND u.permissions <> '[]'
              AND (SELECT count(*) FROM api_tokens WHERE user_id = u.id) < ${MAX_TOKENS_PER_USER}`,
          nowMs,
          {
            audit: {
              ...actorOf(context),
              action: "token.create",
              target: id,
              after: {
                name: body.name,
                permissions: body.permissions,
                expiresAt: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
              },
            },
          },
        ),
        { isEssential: true },
      );
      if (inserted?.changes !== 1)
        throw new ApiError(
          "conflict",
          `You have ${MAX_TOKENS_PER_USER} tokens already. Please revoke one first.`,
        );
      return { ...(await requireToken(database, id)), token };
    }),

    route(revokeToken, async ({ params, context }) => {
      const { userId, permissions } = principalOf(context);
      const before = await requireToken(database, params.id);
      const { owner, name } = before;
      if (owner.userId !== userId && !permissions.includes("write:users")) throw noSuchToken();
      await database.batch(
        recordedChange(sql`DELETE FROM api_tokens WHERE id = ${params.id}`, clock.now(), {
          audit: {
            ...actorOf(context),
            action: "token.revoke",
            target: params.id,
            before: { name, owner: owner.userId, permissions: before.permissions },
          },
        }),
        { isEssential: true },
      );
      await publishRightsChanged(platform, owner.userId);
      return { id: params.id };
    }),
  ];
}

const listedRow = z.extend(apiTokenSchema, {
  owner: jsonText(apiTokenSchema.shape.owner),
  permissions: jsonText(apiTokenSchema.shape.permissions),
  createdAt: instantColumn,
  expiresAt: z.nullable(instantColumn),
  lastUsedAt: z.nullable(instantColumn),
});

async function findTokens(database: Database, condition: Statement): Promise<ApiToken[]> {
  const rows = await database.all(sql`
    SELECT t.id, t.name, json_object('userId', u.id, 'login', u.login, 'displayName', u.display_name)
        AS owner,
      t.permissions, t.created_at AS createdAt, t.expires_at AS expiresAt,
      t.last_used_at AS lastUsedAt, t.last_used_address AS lastUsedAddress
    FROM api_tokens t JOIN users u ON u.id = t.user_id WHERE ${condition}
    ORDER BY t.created_at DESC, t.id`);
  return rows.map((row) => listedRow.parse(row));
}

async function requireToken(database: Database, id: string): Promise<ApiToken> {
  const [token] = await findTokens(database, sql`t.id = ${id}`);
  if (token === undefined) throw noSuchToken();
  return token;
}

function noSuchToken(): ApiError {
  return new ApiError("not_found", "There is no such token. It may have been revoked.");
}
