import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError } from "#service/api-error.ts";
import { parseStrictJson } from "./strict-json.ts";

/** JSON values without the texts that are refused on purpose. */
const plainValue = fc.jsonValue({ maxDepth: 6, noUnicodeString: false }).filter((value) => {
  const text = JSON.stringify(value);
  return !text.includes("\\u0000") && !text.includes("__proto__") && !/\\ud[89a-f]/i.test(text);
});

test("parses the output of JSON.stringify like JSON.parse", () => {
  fc.assert(
    fc.property(plainValue, fc.constantFrom(0, 2, "\t"), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(parseStrictJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test("fails only with invalid_request for any text", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect([undefined, "invalid_request"]).toContain(refusalCode(text));
    }),
  );
});

test.for([
  ['{"a":1,"a":2}', "twice"],
  ['{"a":1,"\\u0061":2}', "twice"],
  ['{"x":[{"a":{"b":1,"b":2}}]}', "twice"],
  ['{"__proto__":1}', "__proto__"],
  ['{"x":{"\\u005f_proto__":1}}', "__proto__"],
  ['["\\u0000"]', "stored"],
  ['["\\udc00"]', "stored"],
  ["[".repeat(33) + "]".repeat(33), "deeply"],
  ["", "JSON"],
])("rejects %s", ([text, word]) => {
  expect(() => parseStrictJson(text ?? "")).toThrow(word);
});

test.for(['{"a":"{\\"a\\":1}","b":{"a":1}}', '[{"a":1},{"a":2}]', '{"a":"a","b":"}{\\\\"}', "7"])(
  "accepts %s",
  (text) => {
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  },
);

function refusalCode(text: string): string | undefined {
  try {
    parseStrictJson(text);
    return undefined;
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error);
  }
}
