import * as z from "zod/mini";

/**
 * The plainest value of an object's schema, with these fields: null where that is allowed, otherwise
 * false, 0, empty, the first of several, and the first instant of 2026. The schema checks the fields.
 */
export function build<Schema extends z.core.$ZodType>(
  schema: Schema,
  fields: { readonly [Name in keyof z.input<Schema>]?: unknown } = {},
): z.output<Schema> {
  const described = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return z.parse(schema, Object.assign({}, plainest(described), fields));
}

function plainest(schema: z.core.JSONSchema._JSONSchema): unknown {
  if (typeof schema === "boolean") return null;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) {
    const isNullable = choices.some(
      (choice) => typeof choice === "object" && choice.type === "null",
    );
    return isNullable ? null : plainest(choices[0] ?? true);
  }
  if ("const" in schema) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  switch (schema.type) {
    case "boolean":
      return false;
    case "integer":
    case "number":
      return Math.max(0, schema.minimum ?? 0, Number(schema.exclusiveMinimum ?? -1) + 1);
    case "string":
      return plainestText(schema);
    case "array":
      return Array.from({ length: schema.minItems ?? 0 }, () => plainest(itemOf(schema)));
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, plainest(schema.properties?.[name] ?? true)]),
      );
    default:
      return null;
  }
}

function itemOf({ items = true }: z.core.JSONSchema.BaseSchema) {
  return Array.isArray(items) ? (items[0] ?? true) : items;
}

const TEXTS = ["", "1", "2026-01-01", "2026-01-01T00:00:00.000Z", "0".repeat(16), "0".repeat(24)];

function plainestText({ pattern, minLength = 0 }: z.core.JSONSchema.BaseSchema): unknown {
  const expression = new RegExp(pattern ?? "");
  return TEXTS.find((text) => text.length >= minLength && expression.test(text));
}
