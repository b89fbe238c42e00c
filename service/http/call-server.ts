import * as z from "zod/mini";
import type { AnyCall } from "#contract/call.ts";
import { isApiToken } from "#contract/tokens.ts";
import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import { answerPreflight } from "./cors.ts";
import type { Authenticator } from "./authenticator.ts";
import { checkOrigin, refusePrefetch } from "./origin-check.ts";
import { parseInput } from "./parse-input.ts";
import { readJsonBody } from "./request-body.ts";
import {
  bodyCost,
  giveBackToAddress,
  rankingCost,
  requestCost,
  signInLimit,
  takeForAddress,
  takeForSession,
  WITHOUT_SESSION,
  type RequestLimits,
} from "./request-limits.ts";
import type { RequestScope } from "./refusal.ts";
import { readQuery } from "./request-query.ts";
import type { ProtocolRoute } from "./protocol-route.ts";
import type { RequestContext, Route, Principal } from "./route.ts";
import type { ApiContext } from "./router.ts";
import { SIGN_IN_TOO_OLD } from "#contract/errors.ts";
import type { Settings } from "#service/settings.ts";

export type CallServerOptions = {
  readonly authenticator: Authenticator;
  readonly limits: RequestLimits;
  readonly allowedOrigins: ReadonlySet<string>;
  /** Validate each answer with the call's own schema: for tests and development. */
  readonly checksAnswers: boolean;
};

type Params = Readonly<Record<string, string>>;
type Serve<R> = (route: R, params: Params, c: ApiContext) => Promise<Response>;

export type CallServer = {
  readonly serveCall: Serve<Route>;
  readonly serveProtocol: Serve<ProtocolRoute>;
  /**
   * Counts a request for its address, unless its credentials are of a known session, which it will
   * be counted for.
   * @throws {ApiError} rate_limited
   */
  readonly countUnlessKnown: (request: Request, scope: RequestScope) => void;
};

/**
 * Serves the calls of the contract. Every request passes the same steps:
 *
 * rate, origin, session, rights, body, parameters, handler.
 *
 * Rights are checked before parameters, so that an unauthorized caller learns nothing from the
 * answer.
 */
export function createCallServer(context: ServiceContext, options: CallServerOptions): CallServer {
  const { platform } = context;
  const { authenticator, allowedOrigins } = options;
  const { limiter, knownSessions, soleRun } = options.limits;

  async function serveCall(route: Route, params: Params, c: ApiContext): Promise<Response> {
    const { call } = route;
    const request = c.req.raw;
    const scope = c.get("scope");
    const url = new URL(request.url);
    scope.call = call;
    scope.path = call.path;
    if (request.method === "OPTIONS") return answerPreflight(call.method);
    const limit = signInLimit(call);
    if (limit !== null) takeForAddress(limiter, limit, scope.clientAddress);
    await admit(request, call, scope, {
      cost: requestCost(call, url.searchParams),
      readStreamToken: () => (call.stream === true ? readQuery(url.search).token : undefined),
    });
    return await answerAdmitted(route, params, request, scope);
  }

  async function answerAdmitted(
    { call, handle }: Route,
    params: Params,
    request: Request,
    scope: RequestScope,
  ): Promise<Response> {
    requireRecentSignIn(call, scope.principal, context.settings, platform.clock.now());
    const query = readQuery(new URL(request.url).search);
    const body = await readJsonBody(request, call);
    if (scope.principal !== null) {
      const cost = bodyCost(body) + (await rankingCost(call, platform.database));
      takeForSession(limiter, call.method, scope.principal, cost);
    }
    const requestContext = contextOf(request, scope);
    const input = {
      params: parseInput(call.params, params),
      query: parseInput(call.query, query),
      body: body === undefined ? undefined : parseInput(call.body, body),
      context: requestContext,
    };
    const data = await soleRun(call, () => handle(input));
    await makeDurable(call.method);
    const response = data instanceof Response ? data : success(call, data);
    for (const [name, value] of requestContext.responseHeaders)
      response.headers.append(name, value);
    return response;
  }

  async function serveProtocol(
    { call, handle }: ProtocolRoute,
    params: Params,
    c: ApiContext,
  ): Promise<Response> {
    const request = c.req.raw;
    const scope = c.get("scope");
    // Preflights carry no credentials, and the server's capabilities are public.
    if (request.method !== "OPTIONS")
      await admit(request, call, scope, { cost: 1, readStreamToken: () => undefined });
    if (new URL(request.url).search !== "")
      throw new ApiError("invalid_request", "This address accepts no parameters.");
    const response = await handle({ params, context: contextOf(request, scope) });
    await makeDurable(call.method);
    return response;
  }

  /** Waits until a change is durable: a client that was told of it may discard its source data. */
  async function makeDurable(method: string): Promise<void> {
    if (!READING_METHODS.has(method)) await platform.database.fsync?.();
  }

  function countUnlessKnown(request: Request, { clientAddress }: RequestScope): void {
    if (knownSessions.find(authenticator.readCredentials(request)) === null)
      takeForAddress(limiter, WITHOUT_SESSION, clientAddress);
  }

  /**
   * The checks of every request: rate, origin, session and rights. One without a known session has
   * been counted for its address ({@link countUnlessKnown}).
   */
  async function admit(
    request: Request,
    call: Guarded,
    scope: RequestScope,
    {
      cost,
      readStreamToken,
    }: { readonly cost: number; readonly readStreamToken: () => string | undefined },
  ): Promise<void> {
    const credentials = authenticator.readCredentials(request);
    const known = knownSessions.find(credentials);
    if (known !== null) takeForSession(limiter, call.method, known, cost);
    refusePrefetch(request);
    const carriesCookieOnly =
      credentials.cookie !== null && request.headers.get("authorization") === null;
    // Other sites do not know tokens, and programs may run in any page.
    if (!isApiToken(credentials.bearer))
      checkOrigin(request, { allowedOrigins }, carriesCookieOnly);
    const streamToken = readStreamToken();
    scope.hasCredentials =
      credentials.cookie !== null || credentials.bearer !== null || streamToken !== undefined;
    scope.principal =
      streamToken === undefined
        ? await authenticator.authenticate(credentials, scope.clientAddress)
        : await authenticator.authenticateStream(streamToken, credentials);
    if (scope.principal === null) knownSessions.forget(credentials);
    else if (known === null) {
      giveBackToAddress(limiter, WITHOUT_SESSION, scope.clientAddress);
      takeForSession(limiter, call.method, scope.principal, cost);
      // A ticket works once and does not authenticate the cookie sent with it.
      if (streamToken === undefined) knownSessions.remember(credentials, scope.principal);
    }
    if (scope.principal === null && call.policy !== "public" && isApiToken(credentials.bearer))
      throw new ApiError("unauthenticated", "This API token is unknown, expired or revoked.");
    requireAccess(call, scope.principal);
  }

  function success(call: AnyCall, data: unknown): Response {
    if (options.checksAnswers) checkAnswer(call, data);
    return new Response(JSON.stringify({ data }), {
      status: call.successStatus ?? 200,
      headers: { "content-type": "application/json" },
    });
  }

  return { serveCall, serveProtocol, countUnlessKnown };
}

const READING_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** @throws when an answer does not match the contract, naming the difference. */
function checkAnswer(call: AnyCall, data: unknown): void {
  const result = z.safeParse(call.data, data);
  if (!result.success)
    throw new Error(
      `The answer of ${call.method} ${call.path} breaks the contract: ${z.prettifyError(result.error)}`,
    );
}

/** The fields of a declaration that the guard needs. */
type Guarded = Pick<AnyCall, "policy" | "refusesTokens"> & { readonly method: string };

function contextOf(request: Request, scope: RequestScope): RequestContext {
  return {
    request,
    requestId: scope.requestId,
    principal: scope.principal,
    responseHeaders: new Headers(),
    clientAddress: scope.clientAddress,
  };
}

/**
 * Decides whether `principal` may make the call. Denies by default.
 * @throws {ApiError} unauthenticated or forbidden
 */
function requireAccess(
  { policy, refusesTokens }: Pick<AnyCall, "policy" | "refusesTokens">,
  principal: Principal | null,
): void {
  if (policy === "public") return;
  if (principal === null) throw new ApiError("unauthenticated", "Please sign in.");
  if (principal.token !== null && (policy === "session" || refusesTokens === true))
    throw new ApiError("forbidden", "API tokens cannot do this. Please sign in to the console.");
  if (policy === "session") return;
  if (policy === "admin") {
    if (principal.isAdmin) return;
    throw new ApiError("forbidden", "Only administrators can do this.");
  }
  if (policy !== "metrics_token" && principal.permissions.includes(policy)) return;
  throw new ApiError("forbidden", `This needs the permission ${policy}.`);
}

/**
 * A token passes: a recent sign-in was required to make it.
 * @throws {ApiError} forbidden, with SIGN_IN_TOO_OLD among its details
 */
function requireRecentSignIn(
  { needsRecentSignIn }: Pick<AnyCall, "needsRecentSignIn">,
  principal: Principal | null,
  { REAUTHENTICATE_MINUTES: minutes }: Pick<Settings, "REAUTHENTICATE_MINUTES">,
  nowMs: number,
): void {
  if (needsRecentSignIn !== true || minutes === undefined || principal === null) return;
  if (principal.token !== null || nowMs - principal.signedInAtMs < minutes * 60_000) return;
  throw new ApiError("forbidden", "Sign in again to do this: your last sign-in was too long ago.", {
    details: { [SIGN_IN_TOO_OLD]: `is older than ${minutes} minutes` },
  });
}
