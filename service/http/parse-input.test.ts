import { expect, test } from "vitest";
import * as z from "zod/mini";
import { ApiError } from "#service/api-error.ts";
import { parseInput } from "./parse-input.ts";

const schema = z.strictObject({
  level: z.optional(z.enum(["error", "warn"])),
  name: z.optional(z.string().check(z.minLength(1), z.maxLength(5))),
  ids: z.optional(z.array(z.string()).check(z.minLength(1), z.maxLength(2))),
  amount: z.optional(z.number().check(z.gt(0), z.maximum(10))),
  source: z.optional(
    z.union([
      z.strictObject({ type: z.literal("twitch"), vodId: z.string().check(z.regex(/^\d+$/)) }),
      z.strictObject({ type: z.literal("twitch"), url: z.string() }),
    ]),
  ),
  confirmed: z.optional(z.boolean()),
});

function refusalOf(value: unknown, wanted: z.core.$ZodType = schema): ApiError {
  try {
    parseInput(wanted, value);
  } catch (error) {
    if (error instanceof ApiError) return error;
  }
  throw new Error("This was not refused");
}

test.for<[unknown, Record<string, string>]>([
  [{ level: "fatal" }, { level: "must be one of error, warn" }],
  [{ name: "" }, { name: "must not be empty" }],
  [{ name: "longer" }, { name: "must have at most 5 characters" }],
  [{ name: 7 }, { name: "must be text" }],
  [{ ids: [] }, { ids: "must not be empty" }],
  [{ ids: ["a", "b", "c"] }, { ids: "must have at most 2 entries" }],
  [{ ids: ["a", 1] }, { "ids.1": "must be text" }],
  [{ amount: 0 }, { amount: "must be above 0" }],
  [{ amount: 11 }, { amount: "must be at most 10" }],
  [{ confirmed: "true" }, { confirmed: "must be true or false" }],
  [{ extra: 1 }, { extra: "is not known here" }],
  [{ source: { type: "twitch", url: 1 } }, { "source.url": "must be text" }],
  [{ source: { type: "twitch", vodId: "x" } }, { "source.vodId": "is not valid" }],
  [{ source: { type: "youtube", vodId: "1" } }, { "source.type": "must be twitch" }],
  [[], { body: "must be an object" }],
])("%j is rejected with %j", ([value, details]) => {
  expect(refusalOf(value).details).toEqual(details);
});

test("a missing field is reported as missing, regardless of its type", () => {
  const missing = z.strictObject({
    word: z.enum(["a"]),
    text: z.string(),
    form: z.union([z.string(), z.number()]),
  });
  expect(refusalOf({}, missing).details).toEqual({
    word: "is missing",
    text: "is missing",
    form: "is missing",
  });
});

test("the message is a sentence about the first error", () => {
  expect(refusalOf({ level: "fatal", name: 7 }).message).toBe(
    "The request is not valid: level must be one of error, warn.",
  );
});
