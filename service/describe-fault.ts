import type * as z from "zod/mini";

const EXPECTED: Readonly<Record<string, string>> = {
  string: "must be text",
  number: "must be a number",
  int: "must be a whole number",
  boolean: "must be true or false",
  array: "must be a list",
  object: "must be an object",
  record: "must be an object",
  null: "must be null",
};

/**
 * An error map for zod. Describes a fault in words that follow the field's name, such as "must be at
 * most 100". A schema's own message takes precedence.
 */
export function describeFault(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return "is missing";
  switch (issue.code) {
    case "invalid_type":
      return EXPECTED[issue.expected] ?? "is not valid";
    case "invalid_value":
      return describeChoice(issue.values);
    case "too_small":
      return describeBound(issue.origin, "least", issue.minimum, issue.inclusive);
    case "too_big":
      return describeBound(issue.origin, "most", issue.maximum, issue.inclusive);
    default:
      return "is not valid";
  }
}

function describeChoice(values: readonly unknown[]): string {
  return values.length === 1
    ? `must be ${String(values[0])}`
    : `must be one of ${values.join(", ")}`;
}

function describeBound(
  origin: string,
  side: "least" | "most",
  bound: number | bigint,
  inclusive = true,
): string {
  const isEmptiness = side === "least" && Number(bound) === 1;
  if (origin === "string")
    return isEmptiness ? "must not be empty" : `must have at ${side} ${bound} characters`;
  if (origin === "array")
    return isEmptiness ? "must not be empty" : `must have at ${side} ${bound} entries`;
  if (inclusive) return `must be at ${side} ${bound}`;
  return side === "least" ? `must be above ${bound}` : `must be below ${bound}`;
}
