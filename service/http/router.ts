import { Hono, type Context } from "hono";
import { ApiError } from "#service/api-error.ts";
import { errorResponse } from "./error-response.ts";
import type { RequestScope } from "./refusal.ts";

export type ApiEnv = {
  Bindings: { readonly clientAddress: string };
  Variables: { scope: RequestScope };
};
export type ApiContext = Context<ApiEnv>;

/** A declaration of the contract: `{name}` matches one segment, `{name+}` the rest of the path. */
type Served = { readonly call: { readonly method: string; readonly path: string } };

/**
 * Literal segments are compared with the raw text of the address, so an encoded spelling of a path
 * does not match.
 */
export function createRouter(): Hono<ApiEnv> {
  return new Hono<ApiEnv>({ getPath: ({ url }) => new URL(url).pathname });
}

/**
 * Mounts the handlers of `calls`. An address without a call does not exist.
 *
 * One route per path looks up the method itself: hono answers HEAD with the handler of GET, and a
 * preflight or a tus client names the method in a header.
 *
 * @throws when a call has no handler, a handler no call, or either occurs twice.
 */
export function mountRoutes<Route extends Served>(
  router: Hono<ApiEnv>,
  calls: readonly Route["call"][],
  routes: readonly Route[],
  {
    methodOf,
    serve,
  }: {
    readonly methodOf: (request: Request) => string;
    readonly serve: (
      route: Route,
      params: Readonly<Record<string, string>>,
      c: ApiContext,
    ) => Promise<Response>;
  },
): void {
  requireOneHandlerEach(calls, routes);
  const paths = [...Map.groupBy(routes, ({ call }) => call.path)];
  // Hono tries routes in this order. "{" sorts after every letter: `/failed` before `/{id}`.
  for (const [path, group] of paths.sort(([left], [right]) => (left < right ? -1 : 1))) {
    const methods = new Map(group.map((route) => [route.call.method, route]));
    const allowed = [...new Set(methods.keys()).add("OPTIONS")];
    router.all(toHonoPath(path), async (c) => {
      const route = methods.get(methodOf(c.req.raw));
      if (route !== undefined) return await serve(route, paramsOf(c), c);
      return c.req.method === "OPTIONS"
        ? new Response(null, { status: 204, headers: { allow: allowed.join(", ") } })
        : methodNotAllowed(allowed);
    });
  }
}

export function toHonoPath(path: string): string {
  return path.replaceAll(/\{(\w+)(\+?)\}/g, (_, name, rest) => `:${name}${rest && "{.+}"}`);
}

export function methodNotAllowed(allowed: readonly string[]): Response {
  return errorResponse(
    new ApiError("method_not_allowed", "This address does not support this method.", {
      headers: { allow: allowed.join(", ") },
    }),
  );
}

/**
 * The parameters, percent-decoded once. Hono would leave malformed text as it is.
 * @throws {ApiError} invalid_request
 */
function paramsOf(c: ApiContext): Record<string, string> {
  const params: Record<string, string> = c.req.param();
  try {
    decodeURIComponent(c.req.path);
  } catch (cause) {
    const [name = ""] = Object.keys(params);
    throw new ApiError("invalid_request", "The address is not encoded correctly.", {
      cause,
      details: { [name]: "is not well percent-encoded" },
    });
  }
  return params;
}

function requireOneHandlerEach(calls: readonly Served["call"][], routes: readonly Served[]): void {
  const handled = new Set(routes.map(({ call }) => call));
  const missing = calls.filter((call) => !handled.has(call)).map(nameOf);
  if (missing.length > 0)
    throw new Error(`These calls of the contract have no handler: ${missing.join(", ")}`);
  const declared = new Set(calls);
  const names = new Set<string>();
  for (const { call } of routes) {
    const name = nameOf(call);
    if (!declared.has(call)) throw new Error(`${name} is not part of the contract`);
    if (names.has(name)) throw new Error(`${name} is declared twice`);
    names.add(name);
  }
}

function nameOf({ method, path }: Served["call"]): string {
  return `${method} ${path}`;
}
