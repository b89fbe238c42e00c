/** The sub-path of an address such as PUBLIC_URL, e.g. `/vodkeep`; empty for none. */
export function basePathOf(url: string): string {
  const { pathname } = new URL(url);
  return pathname === "/" ? "" : pathname;
}

/** The path below the sub-path; unchanged if a proxy has already removed it. */
export function withoutBasePath(target: string, basePath: string): string {
  if (basePath === "" || !target.startsWith(basePath)) return target;
  const rest = target.slice(basePath.length);
  if (rest === "" || rest.startsWith("?")) return `/${rest}`;
  return rest.startsWith("/") ? rest : target;
}
