import type { ByteRange } from "#service/ports/object-store.ts";

/** `whole`: no range was requested, or one that may be ignored (RFC 9110 section 14.2). */
export type RangeRequest =
  | { readonly kind: "whole" }
  | { readonly kind: "part"; readonly range: ByteRange }
  | { readonly kind: "unsatisfiable" };

/** Supports a single range; a request for several is answered with the whole file. */
export function readRange(header: string | null, sizeBytes: number): RangeRequest {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replaceAll(" ", "") ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (match === null || (first === "" && last === "")) return { kind: "whole" };
  if (first === "") return suffix(Number(last), sizeBytes);
  const offset = Number(first);
  const end = last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (last !== "" && Number(last) < offset) return { kind: "whole" };
  if (offset >= sizeBytes) return { kind: "unsatisfiable" };
  return { kind: "part", range: { offset, length: end - offset + 1 } };
}

function suffix(length: number, sizeBytes: number): RangeRequest {
  if (length === 0 || sizeBytes === 0) return { kind: "unsatisfiable" };
  const offset = Math.max(0, sizeBytes - length);
  return { kind: "part", range: { offset, length: sizeBytes - offset } };
}
