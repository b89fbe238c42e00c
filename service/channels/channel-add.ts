import type { BodyOf, DataOf } from "#contract/call.ts";
import type { addChannels as addCall } from "#contract/channels.ts";
import { twitchUserIdSchema, type TwitchUserId } from "#contract/ids.ts";
import { ApiError } from "#service/api-error.ts";
import { auditEntries } from "#service/changes/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { batchIf } from "#service/db/batch-if.ts";
import { sql } from "#service/db/sql.ts";
import { planEach } from "#service/jobs/jobs.ts";
import type { Actor } from "#service/http/route.ts";
import type { Statement } from "#service/ports/database.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { NamedUser, TwitchApi, TwitchUser } from "#service/twitch/twitch-api.ts";
import { isNotBanned } from "#service/uploads/ban-check.ts";
import { HAS_BASIS } from "#service/storage/rule-permission.ts";
import { storeNames } from "#service/storage/stored-name.ts";
import { type ReadName, readChannelName } from "./channel-names.ts";
import { recordStreams } from "./live-sweep.ts";
import type { RuleChanges } from "#contract/channel-rules.ts";

type Result = DataOf<typeof addCall>["results"][number];

/** Shorter than the console's timeout of 10 s (docs/console.md#session). */
const PATIENCE_MS = 7_000;

/**
 * Follows channels by name or address, in two requests to Twitch. Each name has its own result, so
 * that one wrong line stops no other. Channels that are followed stay as they are; a confirmation is
 * remembered for all that were named and whose owners have not agreed. Safe to repeat.
 * @throws {ApiError} unauthenticated (banned meanwhile)
 */
export async function addChannels(
  context: ServiceContext,
  twitch: TwitchApi,
  body: BodyOf<typeof addCall>,
  actor: Actor,
): Promise<DataOf<typeof addCall>> {
  const read = body.names.map(readChannelName);
  const named = read.flatMap((name) => (isInvalid(name) ? [] : [name]));
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const found = await findUsers(twitch, named, patience);
  if (typeof found === "string")
    return {
      results: body.names.map((name, index) => ({
        name,
        ...(isInvalid(read[index])
          ? { result: "invalid" as const, error: read[index].error }
          : { result: "unanswered" as const, error: found }),
      })),
    };
  const { added, withBasis } = await insertChannels(context, found, body, actor);
  await findStreams(context, twitch, [...added], patience);
  const told = new Set<string>();
  const results = body.names.map((name, index): Result => {
    const known = read[index];
    if (known === undefined || isInvalid(known))
      return { name, result: "invalid", error: known?.error ?? "" };
    const user = found.find((one) =>
      "id" in known ? one.id === known.id : one.login === known.login,
    );
    if (user === undefined) {
      const entered = "id" in known ? known.id : known.login;
      return { name, result: "unknown", error: `Twitch knows no channel “${entered}”.` };
    }
    const isNew = added.has(user.id) && !told.has(user.id);
    told.add(user.id);
    return {
      name,
      result: isNew ? "added" : "already_added",
      channel: { id: user.id, displayName: user.displayName },
      hasBasis: withBasis.has(user.id),
    };
  });
  return { results };
}

function isInvalid(name: ReadName | undefined): name is { readonly error: string } {
  return name !== undefined && "error" in name;
}

/** The users, or why Twitch did not say, as a sentence. */
async function findUsers(
  twitch: TwitchApi,
  names: readonly NamedUser[],
  patience: AbortSignal,
): Promise<readonly TwitchUser[] | string> {
  try {
    return await twitch.usersNamed(names, patience);
  } catch (error) {
    if (error instanceof SourceError) return error.message;
    if (patience.aborted) return "Twitch did not respond in time. Please try again.";
    throw error;
  }
}

/** So that a running broadcast is archived at once. What Twitch does not say, the next sweep asks. */
async function findStreams(
  { platform: { database, clock } }: ServiceContext,
  twitch: TwitchApi,
  ids: readonly TwitchUserId[],
  patience: AbortSignal,
): Promise<void> {
  try {
    const live = await twitch.streams(ids, patience);
    if (live.length > 0) await database.batch(recordStreams(ids, live, clock.now()));
  } catch (error) {
    if (!(error instanceof SourceError || patience.aborted)) throw error;
  }
}

/** A field of the list `each` of users. */
function column(name: string): Statement {
  return sql`each.value ->> ${name}`;
}

async function insertChannels(
  { platform }: ServiceContext,
  users: readonly TwitchUser[],
  { changes, confirmation }: BodyOf<typeof addCall>,
  actor: Actor,
): Promise<{ added: ReadonlySet<TwitchUserId>; withBasis: ReadonlySet<TwitchUserId> }> {
  const { database, clock } = platform;
  const nowMs = clock.now();
  const rows = users.map(({ id, broadcasterType }) => ({ id, broadcasterType }));
  const list = sql`json_each(${JSON.stringify(rows)}) AS each`;
  const newOnes = sql`SELECT ${column("id")} AS id FROM ${list}
    WHERE ${column("id")} NOT IN (SELECT owner_id FROM channels)`;
  const results = await batchIf(database, isNotBanned(actor.actorId), [
    ...storeNames(users, "decided", nowMs),
    auditEntries(
      {
        ...actor,
        atMs: nowMs,
        action: "channel.add",
        after: { changes: changes ?? {}, ...(confirmation && { confirmed: confirmation.reason }) },
      },
      newOnes,
    ),
    ...(confirmation === undefined
      ? []
      : [
          sql`INSERT INTO rights_confirmations (owner_id, confirmed_by, reason, confirmed_at)
            SELECT ${column("id")}, ${actor.actorId}, ${confirmation.reason}, ${nowMs} FROM ${list}
            WHERE NOT EXISTS (SELECT 1 FROM consents k
              WHERE k.owner_id = ${column("id")} AND k.withdrawn_at IS NULL)
            ON CONFLICT (owner_id, confirmed_by) DO UPDATE SET reason = excluded.reason,
              confirmed_at = excluded.confirmed_at`,
        ]),
    planEach("list", sql`SELECT id AS key FROM (${newOnes})`, nowMs),
    sql`INSERT INTO channels (owner_id, added_at, added_by, author_id, changes, broadcaster_type)
      SELECT ${column("id")}, ${nowMs}, ${actor.actorId}, ${actor.actorId},
        ${changesOfNewChannel(column("id"), changes ?? {})}, ${column("broadcasterType")}
      FROM ${list} WHERE TRUE ON CONFLICT (owner_id) DO NOTHING RETURNING owner_id`,
    sql`SELECT c.owner_id FROM channels c, ${list} WHERE c.owner_id = ${column("id")}
      AND ${HAS_BASIS}`,
  ]);
  if (results === null) throw new ApiError("unauthenticated", "Please sign in.");
  const ids = (rowsAt: number) =>
    new Set(results.at(rowsAt)?.rows.map(({ owner_id: id }) => twitchUserIdSchema.parse(id)));
  return { added: ids(-2), withBasis: ids(-1) };
}

/**
 * What a newly followed channel changes of the default rule, as JSON. If it has stored files already, it
 * keeps all of them until somebody sets its retention: nobody has seen which ones would go.
 */
function changesOfNewChannel(ownerId: Statement, changes: RuleChanges): Statement {
  const json = JSON.stringify(changes);
  const keepsAll = JSON.stringify({ ...changes, retention: { keep: "all" } });
  return sql`iif(coalesce(json_extract(${json}, '$.retention.keep'),
      (SELECT json_extract(default_rule, '$.retention.keep') FROM deployment), 'all') <> 'all'
    AND EXISTS (SELECT 1 FROM files f WHERE f.user_id = ${ownerId} AND f.upload_type = 'twitch'),
    ${keepsAll}, ${json})`;
}
