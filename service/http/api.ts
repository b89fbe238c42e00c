import type { MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { MANUAL_UPLOADS_PATH, PROTOCOL_CALLS } from "#contract/manual-uploads.ts";
import { CALLS } from "#contract/registry.ts";
import { ApiError } from "#service/api-error.ts";
import type { ServiceContext } from "#service/context.ts";
import { isHttps } from "#service/settings.ts";
import { toHex } from "#service/secrets/hex.ts";
import { createCallServer, type CallServerOptions } from "./call-server.ts";
import { allowOrigin, requestedMethod } from "./cors.ts";
import type { OtherRoute } from "./other-route.ts";
import { addProtocolHeaders, protocolMethod, type ProtocolRoute } from "./protocol-route.ts";
import { createRefusals, type RecordRefusal, type RequestScope } from "./refusal.ts";
import { takeForAddress, WITHOUT_SESSION } from "./request-limits.ts";
import type { RateLimit } from "./rate-limiter.ts";
import type { Route } from "./route.ts";
import { createRouter, methodNotAllowed, mountRoutes, toHonoPath } from "./router.ts";

/** Short enough to pass log redaction, which masks 32 or more hex digits as a token. */
const REQUEST_ID_BYTES = 8;

export type ApiOptions = CallServerOptions & {
  readonly routes: readonly Route[];
  /** Requests that are not JSON calls but pass the same guard. */
  readonly protocols: readonly ProtocolRoute[];
  readonly otherRoutes: readonly OtherRoute[];
  readonly recordRefusal: RecordRefusal;
};

export type Api = (request: Request, info: { readonly clientAddress: string }) => Promise<Response>;

/**
 * Every address of the service, and the only place where an error becomes an answer.
 * @throws when a call of the contract has no handler, or a handler no call
 */
export function createApi(context: ServiceContext, options: ApiOptions): Api {
  const { telemetry, random } = context.platform;
  const refuse = createRefusals(context, options.recordRefusal);
  const { serveCall, serveProtocol, countUnlessKnown } = createCallServer(context, options);
  const api = createRouter();

  api.use(async (c, next) => {
    const startedMs = performance.now();
    const { method, path: pathname } = c.req;
    const scope: RequestScope = {
      requestId: toHex(random.bytes(REQUEST_ID_BYTES)),
      clientAddress: c.env.clientAddress,
      method,
      pathname,
      path: null,
      call: null,
      hasCredentials: false,
      principal: null,
    };
    c.set("scope", scope);
    await next();
    c.res.headers.set("x-request-id", scope.requestId);
    allowOrigin(c.res.headers, c.req.header("origin"), options.allowedOrigins);
    telemetry?.requestServed({
      method,
      route: scope.path,
      status: c.res.status,
      durationMs: performance.now() - startedMs,
    });
  });
  api.use(protectAnswers(isHttps(context.settings)));
  api.use(`${MANUAL_UPLOADS_PATH}/*`, async (c, next) => {
    c.get("scope").path = MANUAL_UPLOADS_PATH;
    await next();
    addProtocolHeaders(c.req.raw, c.res.headers);
  });
  for (const { path, limit, answer } of options.otherRoutes)
    api.all(toHonoPath(path), async (c) => {
      const scope = c.get("scope");
      const take = (each: RateLimit) =>
        takeForAddress(options.limits.limiter, each, scope.clientAddress);
      if (limit !== undefined) take(limit);
      if (c.req.method !== "GET" && c.req.method !== "HEAD") {
        take(WITHOUT_SESSION);
        return methodNotAllowed(["GET", "HEAD"]);
      }
      try {
        return await answer(c.req.raw, scope);
      } catch (error) {
        // Players request hundreds of ranges; only who guesses addresses is counted.
        if (error instanceof ApiError && error.code === "not_found") take(WITHOUT_SESSION);
        throw error;
      }
    });
  // Every other request, whether there is something at its address or not.
  api.use(async (c, next) => {
    countUnlessKnown(c.req.raw, c.get("scope"));
    await next();
  });
  mountRoutes(api, PROTOCOL_CALLS, options.protocols, {
    methodOf: protocolMethod,
    serve: serveProtocol,
  });
  mountRoutes(api, CALLS, options.routes, { methodOf: requestedMethod, serve: serveCall });
  api.notFound((c) => refuse(new ApiError("not_found", "There is nothing here."), c.get("scope")));
  api.onError((error, c) => refuse(error, c.get("scope")));
  return async (request, info) => await api.fetch(request, info);
}

/**
 * Headers of every answer (docs/security.md#answers). Answers are data: nothing in them may be
 * executed, framed, cached, or read by another site. A handler may set its own policies.
 */
function protectAnswers(isEncrypted: boolean): MiddlewareHandler {
  const protect = secureHeaders({
    overwrite: false,
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
      sandbox: [],
    },
    crossOriginResourcePolicy: "same-site",
    xFrameOptions: "DENY",
    strictTransportSecurity: isEncrypted && "max-age=31536000",
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  return async (c, next) => {
    await protect(c, next);
    if (!c.res.headers.has("cache-control")) c.res.headers.set("cache-control", "no-store");
  };
}
