import { createHash } from "node:crypto";
import type { Row } from "#service/ports/database.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import type { Destination } from "../migrate/destination.ts";
import type { Table } from "../migrate/table-list.ts";

/** All data that must be equal after a move, read without the code under test. */
export async function contentsOf(
  tables: readonly Table[],
  all: (text: string) => Promise<readonly unknown[]>,
  objects: ObjectStore,
): Promise<unknown> {
  const rows = await Promise.all(
    tables.map(async ({ name, key }) => [
      name,
      await all(`SELECT * FROM ${name} ORDER BY ${key.join(", ")}`),
    ]),
  );
  const { objects: heads } = await objects.list({});
  const bytes = await Promise.all(
    heads.map(async ({ key }) => {
      const found = await objects.get(key);
      const body = await new Response(found?.body).arrayBuffer();
      const metadata = Object.entries(found?.head.metadata ?? {})
        .map(([name, value]) => `${name.toLowerCase()}=${value}`)
        .sort();
      const sha256 = createHash("sha256").update(new Uint8Array(body)).digest("hex");
      return { key, sha256, metadata, type: found?.head.contentType };
    }),
  );
  return { rows, bytes };
}

export async function rowsAt({ database }: Destination, text: string): Promise<readonly Row[]> {
  const [rows = []] = await database.query([{ sql: text }]);
  return rows;
}
