import * as z from "zod/mini";

/** Some of a value at every depth. The schema, not the type, checks ids and other texts. */
export type Parts<Value> = Value extends string
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly Parts<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value]?: Parts<Value[Name]> | undefined }
      : Value;

export type Described = z.core.JSONSchema._JSONSchema;

const described = new WeakMap<z.core.$ZodType, Described>();

/**
 * The plainest value of a schema that has these parts: what is missing is null where that is
 * allowed, otherwise false, 0, empty, the first of several, and the first instant of 2026. The
 * schema checks the result.
 */
export function build<Schema extends z.core.$ZodType>(
  schema: Schema,
  parts?: Parts<z.output<Schema>>,
): z.output<Schema> {
  const known = described.get(schema);
  const shape = known ?? z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  described.set(schema, shape);
  return z.parse(schema, fill(shape, parts));
}

function fill(schema: Described, given: unknown): unknown {
  if (typeof schema === "boolean" || given === null) return given ?? null;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) {
    if (given === undefined && choices.some((choice) => allows(choice, null))) return null;
    const chosen = given === undefined ? choices[0] : choices.find((one) => allows(one, given));
    return fill(chosen ?? true, given);
  }
  if (schema.type === "object" && (given === undefined || isRecord(given))) {
    const names = new Set([...(schema.required ?? []), ...Object.keys(given ?? {})]);
    return Object.fromEntries(
      [...names].map((name) => [name, fill(partOf(schema, name), given?.[name])]),
    );
  }
  if (Array.isArray(given)) return given.map((item: unknown) => fill(itemOf(schema), item));
  return given === undefined ? plainest(schema) : given;
}

function allows(schema: Described, given: unknown): boolean {
  if (typeof schema === "boolean") return schema;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.some((choice) => allows(choice, given));
  if ("const" in schema) return schema.const === given;
  if (schema.type === "object")
    return (
      isRecord(given) &&
      Object.entries(given).every(([name, value]) => allows(partOf(schema, name), value))
    );
  if (schema.type === "array") return Array.isArray(given);
  if (schema.type === "null") return given === null;
  return typeof given === (schema.type === "integer" ? "number" : schema.type);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function plainest(schema: z.core.JSONSchema.BaseSchema): unknown {
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
      return Array.from({ length: schema.minItems ?? 0 }, () => fill(itemOf(schema), undefined));
    default:
      return null;
  }
}

/** What no property describes belongs to a record, or to another object. */
function partOf(schema: z.core.JSONSchema.BaseSchema, name: string): Described {
  return schema.properties?.[name] ?? schema.additionalProperties ?? false;
}

export function itemOf({ items = true }: z.core.JSONSchema.BaseSchema): Described {
  return Array.isArray(items) ? (items[0] ?? true) : items;
}

const TEXTS = ["", "1", "0%", "2026-01-01", "2026-01-01T00:00:00.000Z"].concat(
  [16, 24, 64].map((length) => "0".repeat(length)),
);

function plainestText({ pattern, minLength = 0 }: z.core.JSONSchema.BaseSchema): unknown {
  const expression = new RegExp(pattern ?? "");
  return TEXTS.find((text) => text.length >= minLength && expression.test(text));
}
