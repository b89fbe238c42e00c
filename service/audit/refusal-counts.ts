import { sql } from "#service/db/sql.ts";
import { addressGroups } from "#service/http/address-groups.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { repeatedAuditEntry } from "#service/changes/audit-entry.ts";

/** Reasons for refusing a request without a session. */
const REASONS = {
  no_session: "No session was presented",
  dead_token: "The presented credentials belong to no session",
  other_site: "The request came from another site",
  rate_limited: "There were too many requests",
  failed_sign_in: "A sign-in could not be completed",
} as const;
export type RefusalKind = keyof typeof REASONS;

/**
 * Networks counted separately within one minute and kind; the rest is counted as `other`. Failed
 * sign-ins tell most about an attack.
 */
const NETWORKS_PER_MINUTE: Readonly<Record<RefusalKind, number>> = {
  failed_sign_in: 16,
  dead_token: 8,
  no_session: 4,
  other_site: 4,
  rate_limited: 4,
};
const OTHER = "other";

const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/**
 * Anonymous refusals, which anybody can cause in any number. They are counted in memory and written
 * every few seconds: as a number per minute, kind and network, and as one audit entry per hour and
 * kind. A minute therefore takes about forty rows at most.
 */
export type RefusalCounts = {
  add(kind: RefusalKind, clientAddress: string): void;
  /** Counts that cannot be written are kept for the next flush. */
  flush(): Promise<void>;
};

type Bucket = { readonly kind: RefusalKind; readonly minuteAtMs: number; readonly prefix: string };

export function createRefusalCounts(database: Database, clock: Clock): RefusalCounts {
  let counts = new Map<string, Bucket & { count: number }>();

  function count(bucket: Bucket, times: number): void {
    const key = JSON.stringify(bucket);
    const known = counts.get(key);
    if (known !== undefined) known.count += times;
    else if (bucket.prefix === OTHER || countLike(bucket) < NETWORKS_PER_MINUTE[bucket.kind])
      counts.set(key, { ...bucket, count: times });
    else count({ ...bucket, prefix: OTHER }, times);
  }

  function countLike({ kind, minuteAtMs }: Bucket): number {
    let number = 0;
    for (const each of counts.values())
      if (each.kind === kind && each.minuteAtMs === minuteAtMs) number += 1;
    return number;
  }

  return {
    add(kind, clientAddress) {
      const nowMs = clock.now();
      const minuteAtMs = nowMs - (nowMs % MINUTE_MS);
      count({ kind, minuteAtMs, prefix: addressPrefix(clientAddress) }, 1);
    },

    async flush() {
      if (counts.size === 0) return;
      const written = [...counts.values()];
      counts = new Map();
      try {
        await database.batch(written.flatMap((bucket) => [countUp(bucket), entryOf(bucket)]));
      } catch (error) {
        for (const { count: times, ...bucket } of written) count(bucket, times);
        throw error;
      }
    },
  };
}

function countUp({ kind, minuteAtMs, prefix, count }: Bucket & { count: number }): Statement {
  return sql`
    INSERT INTO refusal_counts (kind, minute_at, prefix, count)
    SELECT ${kind}, ${minuteAtMs},
      CASE WHEN (
        SELECT count(*) FROM refusal_counts
        WHERE kind = ${kind} AND minute_at = ${minuteAtMs} AND prefix <> ${prefix}
      ) < ${NETWORKS_PER_MINUTE[kind]} THEN ${prefix} ELSE ${OTHER} END,
      ${count}
    WHERE TRUE
    ON CONFLICT (kind, minute_at, prefix) DO UPDATE SET count = count + excluded.count`;
}

function entryOf({ kind, minuteAtMs, count }: Bucket & { count: number }): Statement {
  const hourAtMs = minuteAtMs - (minuteAtMs % HOUR_MS);
  return repeatedAuditEntry(
    {
      atMs: minuteAtMs,
      actorId: null,
      action: "access.refuse",
      target: kind,
      result: "refused",
      reason: REASONS[kind],
    },
    `${hourAtMs} ${kind}`,
    count,
  );
}

/** Longer addresses are cut to this length. */
const MAX_PREFIX_CHARACTERS = 64;

/**
 * The network an address is counted under: an IPv4 /24, or the IPv6 /48 commonly assigned to a
 * site. Anything else is returned unchanged.
 */
export function addressPrefix(address: string): string {
  const widest = addressGroups(address).at(-1)?.name ?? address;
  return widest.replace(/^(\d+\.\d+\.\d+)\.\d+$/, "$1.0/24").slice(0, MAX_PREFIX_CHARACTERS);
}
