import type { AuditToken } from "#contract/audit.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { maskSecrets } from "#service/secrets/mask-secrets.ts";

export type AuditInput = {
  readonly atMs: number;
  readonly actorId: string | null;
  /** `feature.verb`, e.g. `upload.retry`. */
  readonly action: string;
  readonly target?: string | null;
  /** "done" unless given. */
  readonly result?: "done" | "refused";
  readonly reason?: string | null;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly requestId?: string | null;
  /** The actor's API token, if a program made the request. */
  readonly token?: AuditToken | null;
  /** The client's address. Not sealed, and removed earlier than the entry. */
  readonly address?: string | null;
};

/** Who did it; nobody for what a command or the service itself did. */
export type AuditActor = Pick<AuditInput, "actorId" | "requestId" | "token" | "address">;

/** The row for one change or refusal; add it to the batch of the change. */
export function auditEntry(input: AuditInput): Statement {
  return sql`
    INSERT INTO audit (at, actor_id, action, target, result, reason, before, after, request_id, token, address)
    VALUES (${values(input)})`;
}

/** The same row, written only if `condition` holds. */
export function auditEntryIf(input: AuditInput, condition: Statement): Statement {
  return sql`
    INSERT INTO audit (at, actor_id, action, target, result, reason, before, after, request_id, token, address)
    SELECT ${values(input)} WHERE ${condition}`;
}

/** The same row for each target that `targets` selects. */
export function auditEntries(input: Omit<AuditInput, "target">, targets: Statement): Statement {
  return sql`
    INSERT INTO audit (at, actor_id, action, target, result, reason, before, after, request_id, token, address)
    SELECT ${values(input, sql`target.id`)} FROM (${targets}) AS target`;
}

/**
 * The row for something that may happen many times: entries with the same key share one row with a
 * count.
 */
export function repeatedAuditEntry(input: AuditInput, key: string, times: number): Statement {
  return sql`
    INSERT INTO audit (at, actor_id, action, target, result, reason, before, after, request_id, token, address,
      repeat_key, count, last_at)
    VALUES (${values(input)}, ${key}, ${times}, ${input.atMs})
    ON CONFLICT (repeat_key) WHERE repeat_key IS NOT NULL
      DO UPDATE SET count = count + excluded.count, last_at = excluded.last_at`;
}

/** The row for something recorded only once, however often it happens. */
export function auditEntryOnce(input: AuditInput, key: string): Statement {
  return sql`
    INSERT INTO audit (at, actor_id, action, target, result, reason, before, after, request_id, token, address,
      repeat_key)
    VALUES (${values(input)}, ${key})
    ON CONFLICT (repeat_key) WHERE repeat_key IS NOT NULL DO NOTHING`;
}

function values(input: AuditInput, target = targetOf(input)): Statement {
  return sql`${input.atMs}, ${input.actorId}, ${input.action}, ${target}, ${input.result ?? "done"},
    ${input.reason ?? null}, ${json(input.before)}, ${json(input.after)}, ${input.requestId ?? null},
    ${input.token ? JSON.stringify(input.token) : null}, ${input.address ?? null}`;
}

function targetOf({ target }: AuditInput): Statement {
  return sql`${typeof target === "string" ? maskSecrets(target) : null}`;
}

function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
