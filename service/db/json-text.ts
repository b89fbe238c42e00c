import * as z from "zod/mini";

/** A column that holds JSON, parsed with the given schema. */
export function jsonText<Schema extends z.core.$ZodType>(schema: Schema) {
  return z.pipe(
    z.pipe(
      z.string(),
      z.transform((text): unknown => JSON.parse(text)),
    ),
    schema,
  );
}
