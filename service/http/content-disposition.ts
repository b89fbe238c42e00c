/**
 * A Content-Disposition header that makes browsers save under this name (RFC 6266, with the
 * encoding of RFC 8187). Removes path separators, control and bidi characters from the name.
 */
export function attachmentHeader(filename: string): string {
  const safe = filename
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}/\\]/gu, "_")
    .slice(0, 200);
  const name = safe === "" || safe === "." || safe === ".." ? "file" : safe;
  const ascii = name.replace(/[^\x20-\x7e]|["%]/g, "_");
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
