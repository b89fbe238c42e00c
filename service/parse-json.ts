import * as z from "zod/mini";

/**
 * Parses JSON and validates it; null if it is invalid. Fields that the schema does not name are
 * ignored.
 */
export function parseJson<Schema extends z.core.$ZodType>(
  schema: Schema,
  text: string,
): z.output<Schema> | null {
  try {
    const result = z.safeParse(schema, JSON.parse(text));
    return result.success ? result.data : null;
  } catch {
    return null;
  }
}
