import { replaceHidden } from "#service/hidden-characters.ts";

/**
 * A Content-Disposition header that makes browsers save under this name (RFC 6266, with the
 * encoding of RFC 8187). Replaces path separators and hidden characters of the name.
 */
export function attachmentHeader(filename: string): string {
  const safe = replaceHidden(filename, "_").replaceAll(/[/\\]/g, "_").slice(0, 200);
  const name = safe === "" || safe === "." || safe === ".." ? "file" : safe;
  const ascii = name.replace(/[^\x20-\x7e]|["%]/g, "_");
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
