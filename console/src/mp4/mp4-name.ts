/** Characters that file systems or browsers refuse in names, invisible ones and marks of direction. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu;

/** Names of devices on Windows, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** File systems allow 255 bytes; this leaves room for four-byte characters and a number. */
const SHORT = /^.{0,60}/u;

/** A file name that any system accepts, ending in `.mp4`. */
export function mp4NameOf(title: string): string {
  const clean = title
    .toWellFormed()
    .replace(/\.(?:ts|mp4|m4v|mov|mkv|webm)$/i, "")
    .replaceAll(UNSAFE, " ")
    .replaceAll(/\s+/g, " ");
  const short = (SHORT.exec(clean)?.[0] ?? "").replaceAll(/^[\s.]+|[\s.]+$/g, "");
  return `${short === "" || RESERVED.test(short) ? `video ${short}`.trim() : short}.mp4`;
}
