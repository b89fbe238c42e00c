import type { StoredFile } from "#contract/files.ts";
import { replaceHidden } from "#service/hidden-characters.ts";

/** What Windows does not allow in names (learn.microsoft.com, "Naming files, paths, namespaces"). */
const FORBIDDEN = /[<>:"/\\|?*]/g;
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
/** Of the 255 that file systems allow; leaves room for `.part` and a distinction. */
const MAX_BYTES = 220;

/** One segment of a path, on every system, whatever the service answers. Idempotent. */
export function safeName(text: string): string {
  const plain = replaceHidden(text, "")
    .replaceAll(FORBIDDEN, "_")
    .replaceAll(/^[ .]+|[ .]+$/g, "");
  const named = plain === "" || RESERVED.test(plain) ? `_${plain}` : plain;
  // `name.part` is the unfinished copy of `name`.
  const whole = /\.(?:part|lock)$/i.test(named) ? `${named}_` : named;
  const extension = /\.\w{1,8}$/.exec(whole)?.[0] ?? "";
  const characters = Array.from(whole.slice(0, whole.length - extension.length));
  while (Buffer.byteLength(characters.join("") + extension) > MAX_BYTES) characters.pop();
  return characters.join("") + extension;
}

/** The name under which a stored file is saved. */
export function localNameOf({ downloadName, filename, key }: StoredFile): string {
  return safeName(downloadName ?? filename ?? key.split("/").at(-1) ?? "");
}
