import * as z from "zod/mini";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import type { Signer } from "#service/secrets/signer.ts";

/** An entry's number and its seal, which stands for all entries up to it. */
export type Mark = { readonly seq: number; readonly hash: string };

/** `head`: the newest sealed entry. `checkpoint`: the newest one that was removed. */
export type MarkName = (typeof MARK_NAMES)[number];
const MARK_NAMES = ["head", "checkpoint"] as const;

const markRow = z.object({ seq: z.number(), hash: z.string(), signature: z.string() });

/** The signed ends of the chain. Write access to the database is not enough to move them. */
export type AuditMarks = {
  read(name: MarkName): Promise<(Mark & { readonly isSigned: boolean }) | null>;
  /** Moves a mark forward; never moves it back. */
  move(name: MarkName, mark: Mark): Promise<Statement>;
  /** Signs again with the current SECRET_KEY what an earlier key signed. */
  renew(): Promise<void>;
  /** Signs the marks again, whoever signed them. */
  adopt(): Promise<readonly Statement[]>;
};

export function createAuditMarks(database: Database, signer: Signer): AuditMarks {
  async function read(name: MarkName) {
    const [row] = await database.all(sql`SELECT * FROM audit_marks WHERE name = ${name}`);
    if (row === undefined) return null;
    const { signature, ...mark } = markRow.parse(row);
    return { ...mark, isSigned: await signer.verify(textOf(name, mark), signature) };
  }

  async function signAgain(name: MarkName, mark: Mark): Promise<Statement> {
    return sql`UPDATE audit_marks SET signature = ${await signer.sign(textOf(name, mark))}
      WHERE name = ${name} AND seq = ${mark.seq} AND hash = ${mark.hash}`;
  }

  return {
    read,

    async move(name, mark) {
      const signature = await signer.sign(textOf(name, mark));
      return sql`
        INSERT INTO audit_marks (name, seq, hash, signature)
        VALUES (${name}, ${mark.seq}, ${mark.hash}, ${signature})
        ON CONFLICT (name) DO UPDATE
          SET seq = excluded.seq, hash = excluded.hash, signature = excluded.signature
          WHERE excluded.seq > seq`;
    },

    async renew() {
      for (const name of MARK_NAMES) {
        const mark = await read(name);
        if (mark?.isSigned === true) await database.run(await signAgain(name, mark));
      }
    },

    async adopt() {
      const marks = await Promise.all(
        MARK_NAMES.map(async (name) => ({ name, mark: await read(name) })),
      );
      return await Promise.all(
        marks.flatMap(({ name, mark }) => (mark === null ? [] : [signAgain(name, mark)])),
      );
    },
  };
}

function textOf(name: MarkName, { seq, hash }: Mark): string {
  return JSON.stringify([name, seq, hash]);
}
