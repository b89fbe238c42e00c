import type { AnyCall } from "#contract/call.ts";

/** Valid but unknown values for parameters without a row of the test. */
const UNKNOWN: Readonly<Record<string, string>> = {
  // A valid id of each kind.
  id: "999999999999",
  key: "vods/1/2/unknown.ts",
  type: "upload_failed",
};

/** The call's path; missing parameters get values that match nothing. */
export function addressOf(
  call: { readonly path: string },
  parameters: Readonly<Record<string, string>> = {},
): string {
  return call.path.replace(
    /\{(\w+)\+?\}/g,
    (_, name: string) => parameters[name] ?? UNKNOWN[name] ?? "unknown",
  );
}

export function nameOf(call: Pick<AnyCall, "path"> & { readonly method: string }): string {
  return `${call.method} ${call.path}`;
}
