import * as z from "zod/mini";

/** Milliseconds since 1970, read as the contract writes an instant. */
export const instantColumn = z.pipe(
  z.number(),
  z.transform((ms) => new Date(ms).toISOString()),
);

/** 0 or 1, as SQLite writes a condition. */
export const flagColumn = z.pipe(
  z.number(),
  z.transform((flag) => flag === 1),
);
