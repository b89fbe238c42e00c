/** Characters that file systems or browsers refuse in names, invisible ones and marks of direction. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu;

/** Names of devices on Windows, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** As long as the service's names of downloads; file systems allow 255, which leaves room for `at`. */
const MAX_BYTES = 180;

/** A file name that any system accepts, ending in `.mp4`. `at` is where a clip starts. */
export function mp4NameOf(name: string, at?: string): string {
  let short = name
    .toWellFormed()
    .replace(/\.(?:ts|mp4|m4v|mov|mkv|webm)$/i, "")
    .replaceAll(UNSAFE, " ")
    .replaceAll(/\s+/g, " ");
  while (new TextEncoder().encode(short).length > MAX_BYTES)
    short = Array.from(short).slice(0, -1).join("");
  short = short.replaceAll(/^[\s.]+|[\s.]+$/g, "");
  const stem = short === "" || RESERVED.test(short) ? `video ${short}`.trim() : short;
  return `${stem}${at === undefined ? "" : ` - ${at}`}.mp4`;
}
