import * as z from "zod/mini";
import { describeFault } from "#service/describe-fault.ts";
import { ApiError } from "#service/api-error.ts";

/** A person does not correct more at once. */
const MAX_DETAILS = 20;

/**
 * Parses a client's input with the call's own schema.
 * @throws {ApiError} invalid_request whose `details` name each refused field
 */
export function parseInput(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) {
    const names = typeof value === "object" && value !== null ? Object.keys(value) : [];
    if (names.length === 0) return undefined;
    throw invalidRequest(
      Object.fromEntries(names.map((name) => [shorten(name), "is not known here"])),
    );
  }
  const result = z.safeParse(schema, value, { error: describeFault, reportInput: true });
  if (result.success) return result.data;
  const faults = result.error.issues.slice(0, MAX_DETAILS).flatMap((issue) => faultsOf(issue, []));
  throw invalidRequest(Object.fromEntries(faults));
}

/** The faults of one issue by field path; `outer` is the path of the value that contains it. */
function faultsOf(issue: z.core.$ZodIssue, outer: readonly PropertyKey[]): [string, string][] {
  const path = [...outer, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys
      .slice(0, MAX_DETAILS)
      .map((key) => [nameOf([...path, key]), "is not known here"]);
  }
  const closest = issue.code === "invalid_union" ? closestForm(issue) : null;
  if (closest !== null) return closest.flatMap((inner) => faultsOf(inner, path));
  return [[nameOf(path), issue.message]];
}

/** The issues of the union member that fits best; null when no value was sent. */
function closestForm(issue: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | null {
  if (issue.input === undefined) return null;
  const [closest] = issue.errors.toSorted((left, right) => left.length - right.length);
  return closest ?? null;
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "body" : shorten(path.map(String).join("."));
}

function invalidRequest(details: Record<string, string>): ApiError {
  const [first] = Object.entries(details);
  const message =
    first === undefined
      ? "The request is not valid."
      : `The request is not valid: ${first[0]} ${first[1]}.`;
  return new ApiError("invalid_request", message, { details });
}

function shorten(name: string): string {
  return name.slice(0, 60);
}
