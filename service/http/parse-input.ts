import * as z from "zod/mini";
import { Failure } from "#service/failure.ts";

/** More than a person would correct at once. */
const MAX_DETAILS = 20;

/**
 * Parses what a client sent with the call's own schema.
 * @throws {Failure} invalid_request whose `details` name each refused field
 */
export function parseInput(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) {
    const names = typeof value === "object" && value !== null ? Object.keys(value) : [];
    if (names.length === 0) return undefined;
    throw refusal(Object.fromEntries(names.map((name) => [shorten(name), "is not known here"])));
  }
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  throw refusal(Object.fromEntries(result.error.issues.slice(0, MAX_DETAILS).flatMap(describe)));
}

function describe(issue: z.core.$ZodIssue): [string, string][] {
  const path = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys
      .slice(0, MAX_DETAILS)
      .map((key) => [shorten(path === "" ? key : `${path}.${key}`), "is not known here"]);
  }
  return [[shorten(path), issue.message]];
}

function refusal(details: Record<string, string>): Failure {
  const [first] = Object.entries(details);
  const message =
    first === undefined || first[0] === ""
      ? "The request is not valid."
      : `The request is not valid: ${first[0]} ${first[1]}.`;
  return new Failure("invalid_request", message, { details });
}

function shorten(name: string): string {
  return name.slice(0, 60);
}
