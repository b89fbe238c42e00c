import type { StoredFile } from "#contract/files.ts";
import { portableName, shorten } from "#service/portable-name.ts";

/** Of the 255 that file systems allow; leaves room for `.part` and a distinction. */
const MAX_BYTES = 220;

/** One segment of a path, on every system, whatever the service answers. Idempotent. */
export function safeName(text: string): string {
  const named = portableName(text);
  // `name.part` is the unfinished copy of `name`.
  const whole = /\.(?:part|lock)$/i.test(named) ? `${named}_` : named;
  const extension = /\.\w{1,8}$/.exec(whole)?.[0] ?? "";
  const stem = whole.slice(0, whole.length - extension.length);
  return shorten(stem, MAX_BYTES, (short) => short + extension);
}

/** The name under which a stored file is saved. */
export function localNameOf({ downloadName, filename, key }: StoredFile): string {
  return safeName(downloadName ?? filename ?? key.split("/").at(-1) ?? "");
}
