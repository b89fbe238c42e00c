import * as z from "zod/mini";

/** A column that holds JSON, read with the schema of what it holds. */
export function jsonText<Schema extends z.core.$ZodType>(schema: Schema) {
  return z.pipe(
    z.pipe(
      z.string(),
      z.transform((text): unknown => JSON.parse(text)),
    ),
    schema,
  );
}
