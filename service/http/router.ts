import { Failure } from "#service/failure.ts";
import { bySpecificity, compilePath, matchPath, type PathPattern } from "./path-pattern.ts";

type Served = { readonly call: { readonly method: string; readonly path: string } };

export type Match<Route extends Served> =
  | {
      readonly kind: "found";
      readonly route: Route;
      /** Percent-decoded once. */
      readonly params: Readonly<Record<string, string>>;
    }
  | { readonly kind: "wrong_method"; readonly allowed: readonly string[] }
  | { readonly kind: "not_found" };

export type Router<Route extends Served> = {
  /** @throws {Failure} invalid_request when a parameter is not validly percent-encoded. */
  find(method: string, pathname: string): Match<Route>;
};

type PathEntry<Route> = {
  readonly pattern: PathPattern;
  readonly routes: ReadonlyMap<string, Route>;
};

/**
 * Binds every call of the contract to its handler. Denies by default: an address without a call
 * does not exist.
 * @throws when a call has no handler, a handler no call, or either occurs twice.
 */
export function createRouter<Route extends Served>(
  calls: readonly Route["call"][],
  routes: readonly Route[],
): Router<Route> {
  requireOneHandlerEach(calls, routes);
  const routesByPath = new Map<string, Map<string, Route>>();
  for (const entry of routes) {
    const { method, path } = entry.call;
    const methods = routesByPath.get(path) ?? new Map<string, Route>();
    if (methods.has(method)) throw new Error(`${method} ${path} is declared twice`);
    methods.set(method, entry);
    routesByPath.set(path, methods);
  }
  const entries: readonly PathEntry<Route>[] = [...routesByPath]
    .map(([path, methods]) => ({ pattern: compilePath(path), routes: methods }))
    .sort((left, right) => bySpecificity(left.pattern, right.pattern));

  return {
    find(method, pathname) {
      const rawSegments = pathname.slice(1).split("/");
      for (const entry of entries) {
        const rawParams = matchPath(entry.pattern, rawSegments);
        if (rawParams === null) continue;
        const found = entry.routes.get(method);
        if (found === undefined)
          return {
            kind: "wrong_method",
            allowed: [...new Set(entry.routes.keys()).add("OPTIONS")],
          };
        return { kind: "found", route: found, params: decodeAll(rawParams) };
      }
      return { kind: "not_found" };
    },
  };
}

function requireOneHandlerEach(calls: readonly Served["call"][], routes: readonly Served[]): void {
  const handled = new Set<Served["call"]>(routes.map((entry) => entry.call));
  const missing = calls.filter((call) => !handled.has(call));
  if (missing.length > 0) {
    const names = missing.map((call) => `${call.method} ${call.path}`);
    throw new Error(`These calls of the contract have no handler: ${names.join(", ")}`);
  }
  const declared = new Set(calls);
  const extra = routes.find((entry) => !declared.has(entry.call));
  if (extra !== undefined)
    throw new Error(`${extra.call.method} ${extra.call.path} is not part of the contract`);
}

function decodeAll(raw: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...raw].map(([name, text]) => [name, decodeOnce(name, text)]));
}

function decodeOnce(name: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new Failure("invalid_request", "The address is not well encoded.", {
      cause,
      details: { [name]: "is not well percent-encoded" },
    });
  }
}
