import * as z from "zod/mini";
import { sealedEntrySchema } from "#contract/audit.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Row } from "#service/ports/database.ts";
import type { Digests } from "#service/ports/digests.ts";
import type { Signer } from "#service/secrets/signer.ts";
import { createAuditMarks, type Mark } from "./audit-marks.ts";
import { findKeyReplacement, type KeyReplacement } from "./key-replacement.ts";

/**
 * Makes later changes to the audit log detectable.
 *
 * A row is written in the batch of the change it records. Within seconds a sealer appends its
 * *seal*: SHA-256 over the previous seal and the row's whole content. The newest seal, and with it
 * every earlier row, is signed with a key that is not in the database (audit-marks.ts). Editing or
 * removing a row without that key breaks the chain to the signed seal. docs/security.md#audit-log
 * lists what this cannot detect.
 *
 * Rows are numbered and sealed in commit order. A row's seal depends on the rows alone, so two
 * concurrent sealers write the same seals.
 */
export type AuditChain = {
  /**
   * Seals every row after the signed seal and returns how many. Seals none if the signed seal is
   * missing or not signed by this service. Idempotent and safe to run concurrently.
   */
  seal(): Promise<number>;
  /** Recomputes every seal; seals new rows only if all of them match. */
  verify(): Promise<ChainVerification>;
  /**
   * Removes verified rows older than an instant, except the newest, but only the oldest day of them,
   * so that a wrong clock or setting can be noticed. Returns how many.
   */
  prune(beforeMs: number): Promise<number>;
  /** The newest seal, to be stored outside the database. */
  head(): Promise<Mark | null>;
};

export type ChainVerification = {
  readonly verified: boolean;
  readonly entries: number;
  /** The first row that is missing or whose seal does not match. */
  readonly firstBrokenSeq: number | null;
  readonly head: Mark | null;
  readonly keyReplaced: KeyReplacement | null;
};

/** The predecessor of the first row's seal. */
export const ORIGIN_SEAL = "0".repeat(64);
const ORIGIN: Mark = { seq: 0, hash: ORIGIN_SEAL };

const DAY_MS = 86_400_000;

/** Seals per batch; hashing them takes a few milliseconds. */
const SEALS_PER_BATCH = 500;

/** What a seal covers, named as an export names it; add FROM audit a. */
export const SEALED_COLUMNS = sql`a.seq, a.at, a.actor_id AS actorId, a.action, a.target, a.result,
  a.reason, a.before, a.after, a.request_id AS requestId, a.token`;

export const contentRow = z.omit(sealedEntrySchema, {
  previousSeal: true,
  seal: true,
  time: true,
  actorLogin: true,
});

type ChainContext = {
  readonly platform: Pick<ServiceContext["platform"], "database" | "digests">;
  readonly log: Pick<ServiceContext["log"], "error">;
};

export function createAuditChain({ platform, log }: ChainContext, signer: Signer): AuditChain {
  const { database, digests } = platform;
  const marks = createAuditMarks(database, signer);
  /** The newest seal this process has seen; an older one in the database means tampering. */
  let seen: Mark | null = null;
  let loggedFault: string | null = null;

  function note(mark: Mark): void {
    if (mark.seq > (seen?.seq ?? 0)) seen = mark;
  }

  function logFault(fault: string): null {
    if (fault !== loggedFault)
      log.error(`${fault}. Nothing is sealed (docs/security.md#audit-log)`);
    loggedFault = fault;
    return null;
  }

  /** The seal to continue from; null when the database does not hold what this service signed. */
  async function signedHead(): Promise<Mark | null> {
    const known = seen;
    const head = await marks.read("head");
    if (head === null)
      return known !== null || (await hasUnsignedSeals())
        ? logFault("The audit log's signed seal is gone")
        : ORIGIN;
    if (!head.isSigned) return logFault("SECRET_KEY did not sign the audit log's newest seal");
    if (known !== null && head.seq < known.seq)
      return logFault("The audit log's signed seal is older than one that was seen before");
    if (known === null) await marks.renew();
    return head;
  }

  /** In one statement, because another sealer may write the first seal and its mark meanwhile. */
  async function hasUnsignedSeals(): Promise<boolean> {
    const found = await database.all(sql`
      SELECT 1 FROM audit WHERE seal IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM audit_marks WHERE name = 'head') LIMIT 1`);
    return found.length > 0;
  }

  async function seal(): Promise<number> {
    let head = await signedHead();
    let sealed = 0;
    while (head !== null) {
      const rows = await database.all(sql`
        SELECT ${SEALED_COLUMNS} FROM audit a WHERE a.seq > ${head.seq}
        ORDER BY a.seq LIMIT ${SEALS_PER_BATCH}`);
      note(head);
      if (rows.length === 0) break;
      const seals: Mark[] = [];
      for (const row of rows) {
        const content = contentRow.parse(row);
        head = { seq: content.seq, hash: await sealOf(digests, head.hash, content) };
        seals.push(head);
      }
      await database.batch([
        sql`
          UPDATE audit SET seal = sealed.value ->> 'hash'
          FROM json_each(${JSON.stringify(seals)}) AS sealed
          WHERE audit.seq = sealed.value ->> 'seq' AND audit.seal IS NULL`,
        await marks.move("head", head),
      ]);
      note(head);
      sealed += seals.length;
    }
    return sealed;
  }

  /** Verifies the entries after `from`, up to `toSeq`. */
  async function walk(from: Mark, toSeq: number): Promise<Walk> {
    let entries = 0;
    let end = from;
    for (;;) {
      const rows = await database.all(sql`
        SELECT ${SEALED_COLUMNS}, coalesce(a.seal, '') AS hash FROM audit a
        WHERE a.seq > ${end.seq} AND a.seq <= ${toSeq} ORDER BY a.seq LIMIT ${SEALS_PER_BATCH}`);
      if (rows.length === 0) return { entries, end, brokenSeq: null };
      const chain = [end, ...rows.map((row) => markRow.parse(row))];
      // Each seal is checked against the stored previous one, so all can be hashed in parallel.
      const follows = await Promise.all(
        rows.map((row, index) => sealFollows(digests, chain[index] ?? end, row)),
      );
      const broken = follows.indexOf(false);
      if (broken !== -1) return { entries, end, brokenSeq: brokenBetween(chain.slice(broken)) };
      entries += rows.length;
      end = chain.at(-1) ?? end;
    }
  }

  /** Compares the stored seals with the signed marks. */
  async function verifySealed(): Promise<Walk> {
    const known = seen;
    const head = await marks.read("head");
    const checkpoint = await marks.read("checkpoint");
    const from = checkpoint ?? ORIGIN;
    const [row] = await database.all(sql`SELECT max(seq) AS seq FROM audit WHERE seal IS NOT NULL`);
    const lastSeq = Number(row?.seq ?? 0);
    const to = head ?? ORIGIN;
    const walked = await walk(from, to.seq);
    const broken = (brokenSeq: number) => ({ ...walked, brokenSeq });
    if (walked.brokenSeq !== null) return walked;
    if (checkpoint?.isSigned === false) return broken(checkpoint.seq);
    if (walked.end.seq !== to.seq) return broken(walked.end.seq + 1);
    if (walked.end.hash !== to.hash || head?.isSigned === false) return broken(to.seq);
    if (head === null && (lastSeq > 0 || known !== null)) return broken(Math.max(1, lastSeq));
    // What is before the checkpoint was removed.
    const [left] = await database.all(
      sql`SELECT min(seq) AS seq FROM audit WHERE seq <= ${from.seq}`,
    );
    if (typeof left?.seq === "number") return broken(left.seq);
    if (known !== null && known.seq > from.seq && !(await isStored(known)))
      return broken(known.seq);
    return walked;
  }

  async function isStored({ seq, hash }: Mark): Promise<boolean> {
    const found = await database.all(sql`
      SELECT 1 FROM audit WHERE seq = ${seq} AND seal = ${hash}`);
    return found.length === 1;
  }

  return {
    seal,

    async verify() {
      const { entries, brokenSeq } = await verifySealed();
      const verified = brokenSeq === null;
      const sealed = verified ? await seal() : 0;
      return {
        verified,
        entries: entries + sealed,
        firstBrokenSeq: brokenSeq,
        head: seen,
        keyReplaced: await findKeyReplacement(database),
      };
    },

    async prune(beforeMs) {
      await seal();
      const head = await signedHead();
      const [kept] = await database.all(sql`
        SELECT seq FROM audit WHERE at >= min(${beforeMs}, ${DAY_MS} +
          (SELECT at FROM audit ORDER BY seq LIMIT 1)) ORDER BY seq LIMIT 1`);
      const lastSeq = Math.min(Number(kept?.seq ?? Infinity), head?.seq ?? 0) - 1;
      const checkpoint = await marks.read("checkpoint");
      if (checkpoint?.isSigned === false) return 0;
      let from: Mark = checkpoint ?? ORIGIN;
      let removed = 0;
      while (from.seq < lastSeq) {
        const toSeq = Math.min(lastSeq, from.seq + SEALS_PER_BATCH);
        const { end, entries, brokenSeq } = await walk(from, toSeq);
        if (brokenSeq !== null || end.seq !== toSeq) {
          logFault("Old audit entries do not verify and are kept");
          break;
        }
        // The checkpoint has the seal to which the first remaining entry is chained.
        await database.batch([
          await marks.move("checkpoint", end),
          sql`DELETE FROM audit WHERE seq <= ${end.seq}`,
        ]);
        removed += entries;
        from = end;
      }
      return removed;
    },

    async head() {
      await seal();
      return seen;
    },
  };
}

type Walk = {
  readonly entries: number;
  readonly end: Mark;
  readonly brokenSeq: number | null;
};

/** The hash is empty if the entry has no seal. */
const markRow = z.object({ seq: z.number(), hash: z.string() });

/** Of an entry that does not follow the one before it: itself if it was inserted, or else what is missing. */
function brokenBetween([before = ORIGIN, entry = ORIGIN]: readonly Mark[]): number {
  return entry.hash === "" ? entry.seq : before.seq + 1;
}

async function sealFollows(digests: Digests, before: Mark, row: Row): Promise<boolean> {
  const content = contentRow.safeParse(row);
  if (!content.success) return false;
  return (await sealOf(digests, before.hash, content.data)) === markRow.parse(row).hash;
}

/** The seal as the contract defines it (`sealedEntrySchema`), so that exports can be verified. */
export async function sealOf(
  digests: Pick<Digests, "sha256">,
  before: string,
  row: z.infer<typeof contentRow>,
): Promise<string> {
  const content = [
    before,
    row.seq,
    row.at,
    row.actorId,
    row.action,
    row.target,
    row.result,
    row.reason,
    row.before,
    row.after,
    row.requestId,
    // Entries without a token keep the seals that they had before there were any.
    ...(row.token === null ? [] : [row.token]),
  ];
  return await digests.sha256(new TextEncoder().encode(JSON.stringify(content)));
}
