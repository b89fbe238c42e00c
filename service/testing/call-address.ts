import type { AnyCall } from "#contract/call.ts";

/** What a parameter is filled with where a test has no row of its own: well-formed, but unknown. */
const UNKNOWN: Readonly<Record<string, string>> = {
  key: "vods/1/2/unknown.ts",
  type: "upload_failed",
};

/** An address of the call; parameters that are not given lead nowhere. */
export function addressOf(
  call: AnyCall,
  parameters: Readonly<Record<string, string>> = {},
): string {
  return call.path.replace(
    /\{(\w+)\+?\}/g,
    (_, name: string) => parameters[name] ?? UNKNOWN[name] ?? "unknown",
  );
}

export function nameOf(call: AnyCall): string {
  return `${call.method} ${call.path}`;
}
