import * as fc from "fast-check";
import * as z from "zod/mini";

/** The subset of JSON Schema that the contract's schemas convert to. */
type JsonSchema = z.infer<typeof jsonSchema>;

const jsonSchema = z.object({
  type: z.optional(z.string()),
  enum: z.optional(z.array(z.unknown())),
  const: z.optional(z.unknown()),
  anyOf: z.optional(z.array(z.unknown())),
  oneOf: z.optional(z.array(z.unknown())),
  pattern: z.optional(z.string()),
  format: z.optional(z.string()),
  minLength: z.optional(z.number()),
  maxLength: z.optional(z.number()),
  minimum: z.optional(z.number()),
  exclusiveMinimum: z.optional(z.number()),
  maximum: z.optional(z.number()),
  items: z.optional(z.unknown()),
  minItems: z.optional(z.number()),
  maxItems: z.optional(z.number()),
  properties: z.optional(z.record(z.string(), z.unknown())),
  required: z.optional(z.array(z.string())),
  propertyNames: z.optional(z.unknown()),
  additionalProperties: z.optional(z.unknown()),
});

/** Longer lists test nothing new. */
const MAX_ITEMS = 6;

/** Values that `schema` accepts as input; the same seed gives the same values. */
export function samplesOf(schema: z.core.$ZodType, count: number, seed: number): unknown[] {
  const described = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  // The schema itself checks rules beyond JSON Schema, such as "must not repeat".
  const valid = fc
    .sample(valueOf(described), { numRuns: count * 2, seed })
    .filter((value) => z.safeParse(schema, value).success)
    .slice(0, count);
  if (valid.length === 0) throw new Error(`Nothing fits ${JSON.stringify(described)}`);
  return valid;
}

/** The fields of an object schema, with sample values for each. */
export function fieldSamplesOf(
  schema: z.core.$ZodType,
  count: number,
  seed: number,
): ReadonlyMap<string, readonly unknown[]> {
  const { properties = {} } = jsonSchema.parse(
    z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }),
  );
  return new Map(
    Object.entries(properties).map(([name, field]) => [
      name,
      fc.sample(valueOf(field), { numRuns: count, seed }),
    ]),
  );
}

function valueOf(described: unknown): fc.Arbitrary<unknown> {
  const schema = jsonSchema.parse(described);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map(valueOf));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "string":
      return textOf(schema);
    case "integer":
      return fc.integer({ min: least(schema), max: Math.min(schema.maximum ?? 1e9, 1e9) });
    case "number":
      return fc
        .double({ min: least(schema), max: schema.maximum ?? 1e9, noNaN: true })
        .filter((number) => number > (schema.exclusiveMinimum ?? -Infinity));
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.uniqueArray(valueOf(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(
          schema.minItems ?? 0,
          Math.min(schema.maxItems ?? MAX_ITEMS, MAX_ITEMS),
        ),
      });
    case "object":
      return objectOf(schema);
    default:
      return fc.constant("anything");
  }
}

function least(schema: JsonSchema): number {
  return Math.max(schema.minimum ?? -1e9, schema.exclusiveMinimum ?? -1e9);
}

function textOf(schema: JsonSchema): fc.Arbitrary<string> {
  if (schema.format === "email") return fc.constantFrom("a@example.org", "o'b+c@sub.example.org");
  if (schema.format === "uri") return fc.constant("https://www.twitch.tv/videos/1");
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern));
  return fc.string({
    unit: "grapheme",
    minLength: schema.minLength ?? 0,
    maxLength: Math.min(schema.maxLength ?? 40, 40),
  });
}

function objectOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.properties === undefined && schema.propertyNames !== undefined) {
    const names = valueOf(schema.propertyNames).map(String);
    return fc.dictionary(names, valueOf(schema.additionalProperties ?? {}), { maxKeys: 4 });
  }
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, field]) => [name, valueOf(field)] as const,
  );
  return fc.record(Object.fromEntries(fields), { requiredKeys: schema.required ?? [] });
}
