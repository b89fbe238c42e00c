import * as z from "zod/mini";

/** The lines of the cost breakdown. */
const LINES = [
  "workers",
  "r2Storage",
  "r2Operations",
  "r2Transfer",
  "d1Database",
  "d1Operations",
  "kvOperations",
  "queueOperations",
] as const;
export type CostLine = (typeof LINES)[number];

/** USD by line. */
export type CostLines = Readonly<Record<CostLine, number>>;

export const NO_COST: CostLines = z
  .record(z.enum(LINES), z.number())
  .parse(Object.fromEntries(LINES.map((line) => [line, 0])));

export function mapLines(value: (line: CostLine) => number): CostLines {
  const lines: Record<CostLine, number> = { ...NO_COST };
  for (const line of LINES) lines[line] = value(line);
  return lines;
}

export function totalCost(lines: CostLines): number {
  return roundUsd(LINES.reduce((sum, line) => sum + lines[line], 0));
}

/** Rounds to a millionth of a dollar; smaller digits are floating-point noise. */
export function roundUsd(usd: number): number {
  return Math.round(usd * 1_000_000) / 1_000_000;
}
