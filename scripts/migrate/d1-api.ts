import * as z from "zod/mini";
import type { Clock } from "#service/ports/clock.ts";
import type { Row } from "#service/ports/database.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";

/** A statement for D1's HTTP API: values are text, whatever the column's type. */
export type D1Query = { readonly sql: string; readonly params?: readonly string[] };

export type D1Api = {
  /**
   * Runs the statements in order and returns the rows of each. Temporary failures are retried, so
   * every statement must be idempotent.
   */
  query(queries: readonly D1Query[]): Promise<readonly (readonly Row[])[]>;
};

type D1ApiOptions = {
  /** `…/client/v4/accounts/<id>`, or the same path of the local runtime. */
  readonly root: string;
  readonly databaseId: string;
  readonly token: string;
  /** The number of calls without delay, and the minimum interval of further ones. */
  readonly burst: number;
  readonly paceMs: number;
  readonly fetch: OutgoingFetch;
  readonly clock: Clock;
};

/** Six delays of 1 to 32 s: about a minute in total. */
const TRIES = 7;
const FIRST_WAIT_MS = 1_000;

/** A refused caller is shut out for five minutes (developers.cloudflare.com/fundamentals/api/reference/limits). */
const LONGEST_WAIT_SEC = 300;

/** D1 aborts a statement after 30 s. */
const TIMEOUT_MS = 60_000;

const answerSchema = z.object({
  result: z.array(
    z.object({
      results: z.object({
        columns: z.array(z.string()),
        rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
      }),
    }),
  ),
});

/** Client for `POST /d1/database/<id>/raw` (developers.cloudflare.com/api/resources/d1). */
export function openD1Api(options: D1ApiOptions): D1Api {
  const { clock } = options;
  let calls = 0;

  async function call(body: string): Promise<Response> {
    calls += 1;
    if (calls > options.burst) await clock.sleep(options.paceMs);
    return await options.fetch(`${options.root}/d1/database/${options.databaseId}/raw`, {
      method: "POST",
      headers: { authorization: `Bearer ${options.token}`, "content-type": "application/json" },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  }

  return {
    async query(queries) {
      const body = JSON.stringify({ batch: queries });
      for (let tries = 1; ; tries += 1) {
        let failure: Error;
        let waitMs = FIRST_WAIT_MS * 2 ** (tries - 1);
        try {
          const response = await call(body);
          const text = await response.text();
          if (response.ok) return readRows(text);
          failure = new Error(`D1 answered ${response.status}: ${text.slice(0, 500)}`);
          if (response.status === 429)
            waitMs = 1_000 * Math.min(LONGEST_WAIT_SEC, retryAfterSec(response));
          else if (response.status < 500 || isOurMistake(text)) throw failure;
        } catch (error) {
          if (error instanceof TypeError || isTimeout(error))
            failure = new Error("D1's API did not answer", { cause: error });
          else throw error;
        }
        if (tries === TRIES) throw failure;
        await clock.sleep(waitMs);
      }
    },
  };
}

function readRows(text: string): readonly (readonly Row[])[] {
  return answerSchema
    .parse(JSON.parse(text))
    .result.map(({ results: { columns, rows } }) =>
      rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null]))),
    );
}

function retryAfterSec(response: Response): number {
  const seconds = Number(response.headers.get("retry-after"));
  return seconds > 0 ? seconds : LONGEST_WAIT_SEC;
}

/** SQLite would refuse the statement again. */
function isOurMistake(text: string): boolean {
  return /SQLITE_(?:ERROR|CONSTRAINT|MISMATCH|TOOBIG)/.test(text);
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError");
}
