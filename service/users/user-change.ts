import type { UserId } from "#contract/ids.ts";
import type { User } from "#contract/users.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import type { NotificationEvent } from "#service/changes/notification-event.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { Actor } from "#service/http/route.ts";
import { publishRightsChanged } from "#service/auth/session-events.ts";
import { endTokens } from "#service/auth/token-access.ts";
import type { ServiceContext } from "#service/context.ts";
import { holdUploads } from "#service/storage/rule-hold.ts";
import { batchIf } from "#service/db/batch-if.ts";
import { sql } from "#service/db/sql.ts";
import { ApiError } from "#service/api-error.ts";
import type { Statement } from "#service/ports/database.ts";
import {
  BREACH_SENTENCES,
  isAllowed,
  evaluateChange,
  someoneElseCanManage,
  type RightsHolder,
} from "./user-rules.ts";
import { findUser, requireUser } from "./user-store.ts";

export type UserChangeInput = Actor & { readonly targetId: UserId };

export type UserChangePlan = {
  readonly action: "user.permissions" | "user.ban" | "user.unban" | "user.erase";
  /** The target's rights after the change. */
  readonly after: (target: User) => RightsHolder;
  /** True if the target already is in that state; the call then succeeds without a change. */
  readonly isDone: (target: User) => boolean;
  /** Assignments of the UPDATE besides the version. */
  readonly assignments: (atMs: number) => Statement;
  readonly audit: (target: User) => { before: unknown; after: unknown; reason?: string | null };
  readonly notification: (actor: User, target: User) => NotificationEvent;
  /** Further statements of the batch, which only takes effect as a whole. */
  readonly consequences?: (target: User, atMs: number) => readonly Statement[];
  /** Throws if the target differs from what the administrator has seen. */
  readonly precondition?: (target: User) => void;
};

/** A lost race reads and checks again; more losses than this indicate a fault. */
const MAX_TRIES = 50;

/**
 * Changes one user's rights by the rules of `user-rules.ts`: one batch writes the change, its audit
 * row, its notification and its consequences. Idempotent.
 * @throws {ApiError} not_found, forbidden, conflict
 */
export async function changeUser(
  context: ServiceContext,
  input: UserChangeInput,
  plan: UserChangePlan,
): Promise<User> {
  const { database, clock } = context.platform;
  const bootstrapIds = context.settings.ADMIN_TWITCH_IDS;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const target = await requireUser(context, input.targetId);
    const after = plan.after(target);
    const actor = await requireAllowedChange(context, input, plan, target, after);
    plan.precondition?.(target);
    if (plan.isDone(target)) return target;
    const atMs = clock.now();
    const mayChange = sql`EXISTS (SELECT 1 FROM users
      WHERE users.id = ${target.id} AND users.version = ${target.version}
        AND ${isAllowed(actor.id, after, bootstrapIds)})`;
    const results = await batchIf(
      database,
      mayChange,
      [
        ...recordedChange(
          sql`UPDATE users SET version = version + 1, ${plan.assignments(atMs)}
            WHERE id = ${target.id}`,
          atMs,
          {
            audit: {
              actorId: actor.id,
              action: plan.action,
              target: target.id,
              requestId: input.requestId,
              address: input.address ?? null,
              ...plan.audit(target),
            },
            event: plan.notification(actor, target),
            authorId: actor.id,
          },
        ),
        endTokens,
        ...(plan.consequences?.(target, atMs) ?? []),
      ],
      { isEssential: true },
    );
    if (results !== null) {
      await holdUploads(context.platform);
      await publishRightsChanged(context.platform, target.id);
      return await requireUser(context, target.id);
    }
  }
  throw new ApiError("conflict", "Someone else is changing this user. Please try again.");
}

/** Returns the actor. @throws {ApiError} forbidden or conflict, after auditing the refusal. */
async function requireAllowedChange(
  context: ServiceContext,
  input: UserChangeInput,
  plan: UserChangePlan,
  target: User,
  after: RightsHolder,
): Promise<User> {
  const { database, clock } = context.platform;
  const actor = await findUser(context, input.actorId);
  if (actor === null) throw new ApiError("forbidden", BREACH_SENTENCES.actor_lacks_right);
  const [others] = await database.all(sql`SELECT ${someoneElseCanManage(target.id)} AS can_manage`);
  const breach = evaluateChange({
    actor,
    before: target,
    after,
    bootstrapIds: context.settings.ADMIN_TWITCH_IDS,
    othersCanManage: others?.can_manage === 1,
  });
  if (breach === null) return actor;
  await database.run(
    auditEntry({
      atMs: clock.now(),
      actorId: actor.id,
      action: plan.action,
      target: target.id,
      result: "refused",
      reason: BREACH_SENTENCES[breach],
      requestId: input.requestId,
      address: input.address ?? null,
    }),
  );
  const code = breach === "last_administrator" ? "conflict" : "forbidden";
  throw new ApiError(code, BREACH_SENTENCES[breach], { isAudited: true });
}
