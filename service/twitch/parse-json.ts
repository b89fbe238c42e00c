import * as z from "zod/mini";

/**
 * Parses JSON and checks its shape; null for anything else. Fields the schema does not name are
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
