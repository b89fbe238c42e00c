import type { UserId } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";

/** Who causes a change, and by which request. */
export type Actor = { readonly actorId: UserId; readonly requestId: string };

export type AuditInput = {
  readonly atMs: number;
  readonly actorId: string | null;
  /** `feature.verb`, e.g. `upload.retry`. */
  readonly action: string;
  readonly target?: string | null;
  readonly result: "done" | "refused";
  readonly reason?: string | null;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly requestId?: string | null;
};

/** The row for one change or refusal; goes into the same batch as the change. */
export function auditEntry(input: AuditInput): Statement {
  return sql`
    INSERT INTO audit (at, actor_id, action, target, result, reason, before, after, request_id)
    VALUES (${input.atMs}, ${input.actorId}, ${input.action}, ${input.target ?? null}, ${input.result},
      ${input.reason ?? null}, ${json(input.before)}, ${json(input.after)}, ${input.requestId ?? null})`;
}

/**
 * The same row, written only when the statement just before it in the batch changed something: of
 * two racing identical actions one takes effect and one is on record.
 */
export function auditEntryIfChanged(input: AuditInput): Statement {
  return sql`
    INSERT INTO audit (at, actor_id, action, target, result, reason, before, after, request_id)
    SELECT ${input.atMs}, ${input.actorId}, ${input.action}, ${input.target ?? null}, ${input.result},
      ${input.reason ?? null}, ${json(input.before)}, ${json(input.after)}, ${input.requestId ?? null}
    WHERE changes() > 0`;
}

function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
