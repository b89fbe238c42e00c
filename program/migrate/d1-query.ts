import * as z from "zod/mini";
import type { Query } from "./tables.ts";

const value = z.union([z.string(), z.number(), z.null()]);
const found = z.object({ columns: z.array(z.string()), rows: z.array(z.array(value)) });
const answerSchema = z.object({ result: z.tuple([z.object({ results: found })]) });

/** Queries a D1 database by `POST …/d1/database/<id>/raw` (developers.cloudflare.com/api/resources/d1). */
export function d1Query(databaseUrl: string, token: string): Query {
  return async (text) => {
    const response = await fetch(`${databaseUrl}/raw`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ sql: text }),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`D1 answered ${response.status}: ${answer.slice(0, 500)}`);
    const { columns, rows } = answerSchema.parse(JSON.parse(answer)).result[0].results;
    return rows.map((row) =>
      Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null])),
    );
  };
}
