/**
 * Where somebody was when the session ended. A sign-in always leads to `/`
 * (docs/console.md#gates); the way back is offered there, never taken unasked. Only a path is kept:
 * it can't lead to another site.
 */
const KEY = "return_path";

export function rememberReturnPath(path: string): void {
  const isWorthIt = path.startsWith("/") && !/^\/(?:login|auth\/|$)/.test(path);
  if (isWorthIt) sessionStorage.setItem(KEY, path);
}

export function returnPath(): string | null {
  const path = sessionStorage.getItem(KEY);
  return path?.startsWith("/") === true && !path.startsWith("//") ? path : null;
}

export function forgetReturnPath(): void {
  sessionStorage.removeItem(KEY);
}
