import type { AnyCall } from "#contract/call.ts";
import { MANUAL_UPLOADS_PATH } from "#contract/manual-uploads.ts";
import { principalOfSession, type Authenticator } from "#service/auth/authenticator.ts";
import type { RefusalCounts } from "#service/audit/refusal-counts.ts";
import type { ServiceContext } from "#service/context.ts";
import { Failure } from "#service/failure.ts";
import { requireAccess, requireRecentSignIn } from "./access-policy.ts";
import { methodAsked, preflight, refuseMethod } from "./asked-method.ts";
import { checkAnswer } from "./check-answer.ts";
import { checkOrigin, refusePrefetch } from "./origin-check.ts";
import { parseInput } from "./parse-input.ts";
import { readJsonBody } from "./request-body.ts";
import {
  giveBackToAddress,
  plainLimit,
  requestCost,
  signInLimit,
  takeForAddress,
  takeForSession,
  WITHOUT_SESSION,
  type RequestLimits,
} from "./request-limits.ts";
import { withBodyEnd } from "./sole-run.ts";
import { createRequestIds } from "./request-id.ts";
import { createRefusals, type RequestScope } from "./refusal.ts";
import { readQuery } from "./request-query.ts";
import { allowOrigin, protectHeaders } from "./response-headers.ts";
import {
  addProtocolHeaders,
  allowProtocolPreflight,
  protocolMethod,
  type ProtocolRoute,
} from "./protocol-route.ts";
import type { RequestContext, Route } from "./route.ts";
import type { Match, Router } from "./router.ts";

type FoundCall = Extract<Match<Route>, { kind: "found" }>;
type FoundProtocol = Extract<Match<ProtocolRoute>, { kind: "found" }>;

/** Serves an address outside the contract; null when it has no handler. */
export type BesideCalls = (
  request: Request,
  from: Pick<RequestScope, "pathname" | "requestId" | "clientAddress">,
) => Promise<Response> | null;

export type CallServerParts = {
  readonly router: Router<Route>;
  /** Requests that are not JSON calls but pass the same guard. */
  readonly protocols: Router<ProtocolRoute>;
  readonly besideCalls: BesideCalls;
  readonly authenticator: Authenticator;
  readonly limits: RequestLimits;
  readonly refusals: RefusalCounts;
  readonly allowedOrigins: ReadonlySet<string>;
  readonly isHttps: boolean;
  /** Validate each answer with the call's own schema: for tests and development. */
  readonly checksAnswers: boolean;
};

export type CallServer = (
  request: Request,
  info: { readonly clientAddress: string },
) => Promise<Response>;

/**
 * Serves the calls of the contract. Every request passes the same steps, and this is the only place
 * where an error becomes an answer:
 *
 * path and method, origin, rate, session, rights, body, parameters, handler.
 *
 * Rights are checked before parameters, so that an unauthorized caller learns nothing from the
 * answer.
 */
export function createCallServer(context: ServiceContext, parts: CallServerParts): CallServer {
  const { platform } = context;
  const { router, authenticator, allowedOrigins } = parts;
  const { limiter, knownSessions, slots, soleRun } = parts.limits;
  const nextRequestId = createRequestIds(platform.random);
  const refuse = createRefusals(context, parts.refusals);

  async function answer(request: Request, scope: RequestScope): Promise<Response> {
    const url = new URL(request.url);
    const limit = plainLimit(url.pathname);
    if (limit !== null) takeForAddress(limiter, limit, scope.clientAddress);
    const beside = parts.besideCalls(request, scope);
    if (beside !== null) return await beside;
    const protocol = parts.protocols.find(protocolMethod(request), url.pathname);
    if (protocol.kind !== "not_found") {
      scope.isProtocol = true;
      if (protocol.kind === "wrong_method") return refuseMethod(request, protocol.allowed);
      return await answerProtocol(request, url, protocol, scope);
    }
    const match = router.find(methodAsked(request), url.pathname);
    if (match.kind === "not_found") throw new Failure("not_found", "There is nothing here.");
    if (match.kind === "wrong_method") return refuseMethod(request, match.allowed);
    scope.call = match.route.call;
    if (request.method === "OPTIONS") return preflight(match.route.call);
    return await answerCall(request, url, match, scope);
  }

  async function answerCall(
    request: Request,
    url: URL,
    { route, params }: FoundCall,
    scope: RequestScope,
  ): Promise<Response> {
    const { call } = route;
    refusePrefetch(request);
    const limit = signInLimit(call);
    if (limit !== null) takeForAddress(limiter, limit, scope.clientAddress);
    await admit(request, call, scope, {
      cost: requestCost(call, url.searchParams),
      readStreamToken: () => (call.stream === true ? readQuery(url.search).token : undefined),
    });
    const leaveSlot =
      scope.principal === null || call.stream === true
        ? null
        : await slots.enter(scope.principal.sessionId);
    try {
      return await answerAdmitted(request, url, { kind: "found", route, params }, scope);
    } finally {
      leaveSlot?.();
    }
  }

  async function answerAdmitted(
    request: Request,
    url: URL,
    { route, params }: FoundCall,
    scope: RequestScope,
  ): Promise<Response> {
    const { call } = route;
    requireRecentSignIn(call, scope.principal, context.settings, platform.clock.now());
    const query = readQuery(url.search);
    const body = await readJsonBody(request, call);
    const requestContext = contextOf(request, scope);
    const input = {
      params: parseInput(call.params, params),
      query: parseInput(call.query, query),
      body: body === undefined ? undefined : parseInput(call.body, body),
      context: requestContext,
    };
    const data = await runAlone(call, () => route.handle(input));
    await outlastPowerCuts(call.method);
    const response = data instanceof Response ? data : success(call, data);
    for (const [name, value] of requestContext.responseHeaders)
      response.headers.append(name, value);
    return response;
  }

  /** Holds an exclusive call's slot until the body of its answer has ended. */
  async function runAlone(call: AnyCall, run: () => Promise<unknown>): Promise<unknown> {
    const leave = soleRun.enter(call);
    if (leave === null) return await run();
    let data: unknown;
    try {
      data = await run();
    } catch (error) {
      leave();
      throw error;
    }
    if (data instanceof Response) return withBodyEnd(data, leave);
    leave();
    return data;
  }

  async function answerProtocol(
    request: Request,
    url: URL,
    { route, params }: FoundProtocol,
    scope: RequestScope,
  ): Promise<Response> {
    // Preflights carry no credentials, and the server's capabilities are public.
    if (request.method !== "OPTIONS")
      await admit(request, route.call, scope, { cost: 1, readStreamToken: () => undefined });
    if (url.search !== "")
      throw new Failure("invalid_request", "This address takes no parameters.");
    const response = await route.handle({ params, context: contextOf(request, scope) });
    await outlastPowerCuts(route.call.method);
    return response;
  }

  /** Waits until a change is durable: a client that was told of it may discard its source data. */
  async function outlastPowerCuts(method: string): Promise<void> {
    if (!READING_METHODS.has(method)) await platform.database.makeDurable?.();
  }

  /** The checks of every request: origin, rate, session and rights. */
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
    const carriesCookieOnly =
      credentials.cookie !== null && request.headers.get("authorization") === null;
    checkOrigin(request, { allowedOrigins }, carriesCookieOnly);
    const streamToken = readStreamToken();
    scope.hasCredentials =
      credentials.cookie !== null || credentials.bearer !== null || streamToken !== undefined;
    const known = knownSessions.find(credentials);
    if (known === null) takeForAddress(limiter, WITHOUT_SESSION, scope.clientAddress);
    else takeForSession(limiter, call.method, known, cost);
    const session =
      streamToken === undefined
        ? await authenticator.authenticate(credentials)
        : await authenticator.authenticateStream(streamToken, credentials);
    scope.principal = session === null ? null : principalOfSession(session);
    if (scope.principal === null) knownSessions.forget(credentials);
    else if (known === null) {
      giveBackToAddress(limiter, WITHOUT_SESSION, scope.clientAddress);
      takeForSession(limiter, call.method, scope.principal, cost);
      // A ticket works once and does not authenticate the cookie sent with it.
      if (streamToken === undefined) knownSessions.remember(credentials, scope.principal);
    }
    requireAccess(call.policy, scope.principal);
  }

  function success(call: AnyCall, data: unknown): Response {
    if (parts.checksAnswers) checkAnswer(call, data);
    return new Response(JSON.stringify({ data }), {
      status: call.successStatus ?? 200,
      headers: { "content-type": "application/json" },
    });
  }

  return async (request, { clientAddress }) => {
    const startedMs = performance.now();
    const scope: RequestScope = {
      requestId: nextRequestId(),
      clientAddress,
      method: request.method,
      pathname: new URL(request.url).pathname,
      call: null,
      hasCredentials: false,
      principal: null,
      isProtocol: false,
    };
    let response: Response;
    try {
      response = await answer(request, scope);
    } catch (error) {
      response = await refuse(error, scope);
    }
    if (scope.isProtocol) {
      addProtocolHeaders(request, response.headers);
      const asked = request.headers.get("access-control-request-method");
      if (request.method === "OPTIONS" && asked !== null)
        allowProtocolPreflight(response.headers, [asked]);
    }
    // An answer to HEAD never has a body (RFC 9110 section 9.3.2).
    if (request.method === "HEAD") response = new Response(null, response);
    response.headers.set("x-request-id", scope.requestId);
    protectHeaders(response.headers, parts.isHttps);
    allowOrigin(response.headers, request.headers.get("origin"), allowedOrigins);
    platform.telemetry?.requestServed({
      method: request.method,
      route: scope.call?.path ?? (scope.isProtocol ? MANUAL_UPLOADS_PATH : null),
      status: response.status,
      durationMs: performance.now() - startedMs,
    });
    return response;
  };
}

const READING_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** The parts of a request's declaration that the guard needs. */
type Guarded = { readonly method: string; readonly policy: AnyCall["policy"] };

function contextOf(request: Request, scope: RequestScope): RequestContext {
  return {
    request,
    requestId: scope.requestId,
    principal: scope.principal,
    responseHeaders: new Headers(),
    clientAddress: scope.clientAddress,
  };
}
