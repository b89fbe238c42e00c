import * as z from "zod/mini";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { type Fingerprint, fingerprintSchema } from "./fingerprint.ts";

/** When Twitch was last checked, and what it answered. */
export type TwitchRecord = {
  readonly checkedAtMs: number;
  /** Failed checks in a row. */
  readonly failures: number;
  readonly fingerprint: Fingerprint | null;
};

const recordRow = z.object({
  checked_at: z.number(),
  failures: z.number(),
  fingerprint: z.nullable(z.string()),
});

export async function readTwitchRecord(database: Pick<Database, "all">): Promise<TwitchRecord> {
  const [row] = await database.all(sql`
    SELECT checked_at, failures, fingerprint FROM health_probes WHERE component = 'twitch'`);
  if (row === undefined) return { checkedAtMs: 0, failures: 0, fingerprint: null };
  const { checked_at, failures, fingerprint } = recordRow.parse(row);
  return {
    checkedAtMs: checked_at,
    failures,
    fingerprint: fingerprint === null ? null : fingerprintSchema.parse(JSON.parse(fingerprint)),
  };
}

/** Does not count as a check of the component. */
export function saveFingerprint(fingerprint: Fingerprint): Statement {
  return sql`INSERT INTO health_probes (component, status, since_at, checked_at, fingerprint)
    VALUES ('twitch', 'unknown', 0, 0, ${JSON.stringify(fingerprint)})
    ON CONFLICT (component) DO UPDATE SET fingerprint = excluded.fingerprint`;
}
