import * as z from "zod/mini";
import type { Call, DataOf } from "./call.ts";

/** Text, numbers and booleans of `params` and `query` are sent; other values are left out. */
export type RequestInput = {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
};

/** The path and query of a call; path parameters are percent-encoded by segment. */
export function addressOf(
  { path }: Pick<Call, "path">,
  { params, query }: Pick<RequestInput, "params" | "query"> = {},
): string {
  const filled = textsOf(params).reduce<string>(
    (address, [name, text]) =>
      address
        .replace(`{${name}}`, () => encodeURIComponent(text))
        .replace(`{${name}+}`, () => text.split("/").map(encodeURIComponent).join("/")),
    path,
  );
  const search = textsOf(query).map(([name, text]) => `${name}=${encodeURIComponent(text)}`);
  return search.length > 0 ? `${filled}?${search.join("&")}` : filled;
}

function textsOf(values: unknown): [name: string, text: string][] {
  return Object.entries(values ?? {}).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? [[name, String(value).toWellFormed()]]
      : [],
  );
}

/** What `fetch` takes for a call besides its address. */
export function requestOf(
  { method }: Pick<Call, "method">,
  { body }: Pick<RequestInput, "body">,
  bearer: string | null,
) {
  return {
    method,
    headers: {
      accept: "application/json",
      ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

/**
 * The data of a successful answer.
 * @throws {SyntaxError | z.core.$ZodError} if it breaks the contract
 */
export function dataOf<C extends { readonly data: z.core.$ZodType }>(
  call: C,
  text: string,
): DataOf<C> {
  const schema: C["data"] = call.data;
  return z.parse(schema, envelope.parse(JSON.parse(text)).data);
}

const envelope = z.object({ data: z.unknown() });

/** Matches the paths of a call, with its parameters as groups. */
export function patternOf({ path }: { readonly path: string }): RegExp {
  const pattern = path.replaceAll(/\{(\w+)(\+?)\}/g, (_, name: string, rest: string) =>
    rest === "" ? `(?<${name}>[^/]+)` : `(?<${name}>.+)`,
  );
  return new RegExp(`^${pattern}$`);
}
