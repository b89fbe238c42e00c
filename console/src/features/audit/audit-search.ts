import * as z from "zod/mini";
import { userIdSchema } from "#contract/ids.ts";
import { startOf } from "#console/lib/local-day.ts";
import { LIST_PARAMS, searchReader, textParam } from "#console/lib/search-params.ts";

const { page, search } = LIST_PARAMS;

export const readAuditSearch = searchReader({
  page,
  search,
  action: textParam(60),
  /** Who acted. */
  actor: userIdSchema,
  result: z.enum(["done", "refused"]),
  /** "dates" stands for those of `from` and `to`, which it includes. */
  period: z.enum(["today", "yesterday", "week", "month", "dates"]),
  from: z.iso.date(),
  to: z.iso.date(),
  /** The entry whose details are open. */
  entry: textParam(20),
});

export type AuditSearch = ReturnType<typeof readAuditSearch>;

/** First and last day, counted from today. */
const PERIODS = { today: [0, 0], yesterday: [-1, -1], week: [-6, 0], month: [-29, 0] } as const;

/** The chosen days of this browser's time zone, as instants. */
export function spanOf(
  { period, from, to }: Pick<AuditSearch, "period" | "from" | "to">,
  nowMs: number,
): { readonly since?: string; readonly until?: string } {
  if (period === undefined) return {};
  if (period === "dates") {
    return {
      ...(from === undefined ? {} : { since: startOf(new Date(`${from}T00:00`), 0) }),
      ...(to === undefined ? {} : { until: startOf(new Date(`${to}T00:00`), 1) }),
    };
  }
  const [first, last] = PERIODS[period];
  return { since: startOf(new Date(nowMs), first), until: startOf(new Date(nowMs), last + 1) };
}
