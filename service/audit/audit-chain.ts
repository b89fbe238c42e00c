import * as z from "zod/mini";
import { sql } from "#service/db/sql.ts";
import type { Database, Row } from "#service/ports/database.ts";
import type { Digests } from "#service/ports/digests.ts";
import type { Platform } from "#service/platform.ts";

/**
 * The audit log cannot be changed unnoticed.
 *
 * A row is written in the batch of the change it records; the database refuses to update or delete
 * it. Within seconds a sealer appends its *seal*: SHA-256 over the seal before it and the row's
 * whole content. Whoever edits, removes or slips in a row must forge every seal after it, and
 * {@link verifyChain} finds the first that does not follow.
 *
 * Rows are numbered in the order of their commits and sealed in that order. The seal of a row is a
 * function of the rows alone, so that two sealers at once write the same.
 */

type ChainPlatform = Pick<Platform, "database" | "digests">;

/** What the first row's seal follows from. */
export const ORIGIN_SEAL = "0".repeat(64);

/** Seals of one batch; hashing them takes some milliseconds. */
const SEALS_PER_BATCH = 500;

export const contentRow = z.object({
  seq: z.number(),
  at: z.number(),
  actor_id: z.nullable(z.string()),
  action: z.string(),
  target: z.nullable(z.string()),
  result: z.string(),
  reason: z.nullable(z.string()),
  before: z.nullable(z.string()),
  after: z.nullable(z.string()),
  request_id: z.nullable(z.string()),
});

/** Seals every row that has none yet. Safe to repeat and to run twice at once. */
export async function sealAudit({ database, digests }: ChainPlatform): Promise<void> {
  for (;;) {
    let { seq, hash } = await lastSeal(database);
    const rows = await database.all(sql`
      SELECT * FROM audit WHERE seq > ${seq} ORDER BY seq LIMIT ${SEALS_PER_BATCH}`);
    if (rows.length === 0) return;
    const seals: { seq: number; hash: string }[] = [];
    for (const row of rows) {
      const content = contentRow.parse(row);
      hash = await sealOf(digests, hash, content);
      seals.push({ seq: content.seq, hash });
    }
    await database.run(sql`
      INSERT INTO audit_seals (seq, hash)
      SELECT value ->> 'seq', value ->> 'hash' FROM json_each(${JSON.stringify(seals)}) WHERE TRUE
      ON CONFLICT (seq) DO NOTHING`);
  }
}

export type Verification = {
  readonly verified: boolean;
  readonly entries: number;
  /** The first row that does not follow from the one before; also one that is missing. */
  readonly firstBrokenSeq: number | null;
};

/** Recomputes every seal from the rows. */
export async function verifyChain(platform: ChainPlatform): Promise<Verification> {
  await sealAudit(platform);
  const { database, digests } = platform;
  let entries = 0;
  let before = { seq: 0, hash: ORIGIN_SEAL };
  for (;;) {
    const rows = await database.all(sql`
      SELECT s.seq AS sealed_seq, s.hash, a.* FROM audit_seals s LEFT JOIN audit a ON a.seq = s.seq
      WHERE s.seq > ${before.seq} ORDER BY s.seq LIMIT ${SEALS_PER_BATCH}`);
    if (rows.length === 0) break;
    const chain = [before, ...rows.map((row) => sealRow.parse(row))];
    // Each seal is checked against the stored one before it, so that all can be hashed at once.
    const follows = await Promise.all(
      rows.map((row, index) => sealFollows(digests, chain[index] ?? before, row)),
    );
    const broken = follows.indexOf(false);
    if (broken !== -1)
      return { verified: false, entries, firstBrokenSeq: sealRow.parse(rows[broken]).seq };
    entries += rows.length;
    before = chain.at(-1) ?? before;
  }
  // A row that was slipped in behind the sealer's back has no seal.
  const [unsealed] = await database.all(sql`
    SELECT min(seq) AS seq FROM audit
    WHERE seq <= ${before.seq} AND seq NOT IN (SELECT seq FROM audit_seals)`);
  const firstBrokenSeq = typeof unsealed?.seq === "number" ? unsealed.seq : null;
  return { verified: firstBrokenSeq === null, entries, firstBrokenSeq };
}

const sealRow = z.pipe(
  z.object({ sealed_seq: z.number(), hash: z.string() }),
  z.transform((row) => ({ seq: row.sealed_seq, hash: row.hash })),
);

async function sealFollows(
  digests: Digests,
  before: { seq: number; hash: string },
  row: Row,
): Promise<boolean> {
  const content = contentRow.safeParse(row);
  if (!content.success) return false;
  return (await sealOf(digests, before.hash, content.data)) === sealRow.parse(row).hash;
}

/** What the contract promises (`sealedEntrySchema`) to whoever verifies an export. */
export async function sealOf(
  digests: Pick<Digests, "sha256">,
  before: string,
  row: z.infer<typeof contentRow>,
): Promise<string> {
  const content = [
    before,
    row.seq,
    row.at,
    row.actor_id,
    row.action,
    row.target,
    row.result,
    row.reason,
    row.before,
    row.after,
    row.request_id,
  ];
  return await digests.sha256(new TextEncoder().encode(JSON.stringify(content)));
}

async function lastSeal(database: Database): Promise<{ seq: number; hash: string }> {
  const [row] = await database.all(sql`
    SELECT seq AS sealed_seq, hash FROM audit_seals ORDER BY seq DESC LIMIT 1`);
  return row === undefined ? { seq: 0, hash: ORIGIN_SEAL } : sealRow.parse(row);
}
