import { tabStore } from "./browser-storage.ts";

/**
 * The path at the end of the last session, or of a link that was opened without one. A sign-in
 * always leads to `/` (docs/console.md#gates), which only offers to return there. Only a path is
 * stored, so it can't lead to another site.
 */
const KEY = "return_path";

export function rememberReturnPath(path: string): void {
  const isWorthIt = path.startsWith("/") && !/^\/(?:login|auth\/|$)/.test(path);
  if (isWorthIt) tabStore.setItem(KEY, path);
}

export function returnPath(): string | null {
  const path = tabStore.getItem(KEY);
  return path?.startsWith("/") === true && !path.startsWith("//") ? path : null;
}

export function forgetReturnPath(): void {
  tabStore.removeItem(KEY);
}
