import type { AnyCall } from "#contract/call.ts";

/** Valid but unknown values for parameters without a row of the test. */
const UNKNOWN: Readonly<Record<string, string>> = {
  // A valid id of each kind but webhooks.
  id: "999999999999",
  key: "vods/1/2/unknown.ts",
  type: "upload_failed",
};

/** The call's path; missing parameters get values that match nothing. */
export function addressOf(
  call: { readonly path: string },
  parameters: Readonly<Record<string, string>> = {},
): string {
  const unknown = call.path.includes("/webhooks/") ? { ...UNKNOWN, id: "9".repeat(24) } : UNKNOWN;
  return call.path.replace(
    /\{(\w+)\+?\}/g,
    (_, name: string) => parameters[name] ?? unknown[name] ?? "unknown",
  );
}

export function nameOf(call: Pick<AnyCall, "path"> & { readonly method: string }): string {
  return `${call.method} ${call.path}`;
}
