import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { type Fingerprint, fingerprintSchema } from "./fingerprint.ts";

/** What Twitch answered when it was last examined; null if it never was. */
export async function readFingerprint(
  database: Pick<Database, "all">,
): Promise<Fingerprint | null> {
  const [row] = await database.all(sql`
    SELECT fingerprint FROM health_probes WHERE component = 'twitch' AND fingerprint IS NOT NULL`);
  return row === undefined ? null : fingerprintSchema.parse(JSON.parse(String(row["fingerprint"])));
}

/** Does not count as a check of the component. */
export function saveFingerprint(fingerprint: Fingerprint): Statement {
  return sql`INSERT INTO health_probes (component, status, since_at, checked_at, fingerprint)
    VALUES ('twitch', 'unknown', 0, 0, ${JSON.stringify(fingerprint)})
    ON CONFLICT (component) DO UPDATE SET fingerprint = excluded.fingerprint`;
}
