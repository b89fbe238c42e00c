/**
 * The console's sub-path, e.g. `/vodkeep`; empty for none, and outside a page. The host writes it
 * into the page (hosts/node/console-files.ts).
 */
export const BASE_PATH = readBasePath();

function readBasePath(): string {
  if (typeof document === "undefined") return "";
  const meta = document.querySelector<HTMLMetaElement>('meta[name="base-path"]');
  return (meta?.content ?? "/").replace(/\/+$/, "");
}
