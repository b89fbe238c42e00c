import * as fc from "fast-check";
import * as z from "zod/mini";
import { type Described, itemOf } from "#contract/testing/build.ts";
import { NAUGHTY_STRINGS } from "./naughty-strings.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Texts that have broken interfaces elsewhere (docs/security.md#hostile-input). */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...NAUGHTY_STRINGS) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom("x".repeat(201), "x".repeat(5_000), "\ud800", "a\0b") },
);

export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.jsonValue(),
  fc.constantFrom(-0, 1e-320, 2 ** 31, 2 ** 53, { $gt: 1 }, { toString: 1 }, { length: 3 }),
  fc.constantFrom(101, 1_001).map((length) => Array.from({ length }, (_, index) => `id${index}`)),
);

/** Values that `schema` accepts as input. */
export function soundValue(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  // The schema itself checks rules beyond JSON Schema, such as "must not repeat".
  return valueOf(toJsonSchema(schema), null).filter((value) => z.safeParse(schema, value).success);
}

/** Values of the schema's form, in which any part may be missing or hostile. */
export function spoiltValue(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  return valueOf(toJsonSchema(schema), hostileJson);
}

/** The fields of an object schema, with sound values of each. */
export function fieldsOf(
  schema: z.core.$ZodType | undefined,
): ReadonlyMap<string, fc.Arbitrary<unknown>> {
  const { properties } = schema === undefined ? {} : toJsonSchema(schema);
  return new Map(
    Object.entries(properties ?? {}).map(([name, field]) => [name, valueOf(field, null)] as const),
  );
}

function toJsonSchema(schema: z.core.$ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

function valueOf(
  described: Described,
  hostile: fc.Arbitrary<unknown> | null,
): fc.Arbitrary<unknown> {
  const sound = soundOf(typeof described === "boolean" ? {} : described, hostile);
  if (hostile === null) return sound;
  return fc.oneof({ weight: 5, arbitrary: sound }, { weight: 1, arbitrary: hostile });
}

function soundOf(schema: JsonSchema, hostile: fc.Arbitrary<unknown> | null): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((one) => valueOf(one, hostile)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const { maximum: max = 1e9, minItems = 0, maxItems = 6 } = schema;
  const exclusiveMinimum = Number(schema.exclusiveMinimum ?? -1e9);
  const min = Math.max(schema.minimum ?? -1e9, exclusiveMinimum);
  switch (schema.type) {
    case "string":
      return textOf(schema);
    case "integer":
      return fc.integer({ min, max: Math.min(max, 1e9) });
    case "number":
      return fc.double({ min, max, noNaN: true, minExcluded: min === exclusiveMinimum });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.uniqueArray(valueOf(itemOf(schema), hostile), {
        minLength: minItems,
        maxLength: Math.max(minItems, Math.min(maxItems, 6)),
      });
    case "object":
      return objectOf(schema, hostile);
    default:
      return fc.constant("anything");
  }
}

function textOf({
  format,
  pattern,
  minLength = 0,
  maxLength = 40,
}: JsonSchema): fc.Arbitrary<string> {
  if (format === "email") return fc.constantFrom("a@example.org", "o'b+c@sub.example.org");
  if (format === "uri") return fc.constant("https://www.twitch.tv/videos/1");
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, 40) });
}

function objectOf(
  { properties = {}, propertyNames, additionalProperties = {}, required = [] }: JsonSchema,
  hostile: fc.Arbitrary<unknown> | null,
): fc.Arbitrary<unknown> {
  if (propertyNames !== undefined)
    return fc.dictionary(
      valueOf(propertyNames, null).map(String),
      valueOf(additionalProperties, hostile),
      { maxKeys: 4 },
    );
  const fields = Object.entries(properties).map(
    ([name, field]) => [name, valueOf(field, hostile)] as const,
  );
  const requiredKeys = hostile === null ? required : [];
  return fc.record(Object.fromEntries(fields), { requiredKeys });
}
