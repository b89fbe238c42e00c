import type { AuditToken } from "#contract/audit.ts";
import type { BodyOf, Call, DataOf, ParamsOf, QueryOf } from "#contract/call.ts";
import type { Permission } from "#contract/permissions.ts";
import type { UserId } from "#contract/ids.ts";

/** The live session or API token behind a request, with rights read from the database for this request. */
export type Principal = {
  /** Of the API token if a program made the request. */
  readonly sessionId: string;
  readonly userId: UserId;
  readonly login: string;
  readonly isAdmin: boolean;
  readonly permissions: readonly Permission[];
  readonly signedInAtMs: number;
  /** Null for a person's session. */
  readonly token: AuditToken | null;
};

/** Who makes a change, in which request and from which address. */
export type Actor = {
  readonly actorId: UserId;
  readonly requestId: string;
  readonly token?: AuditToken | null;
  readonly address?: string | null;
};

export type RequestContext = {
  readonly request: Request;
  readonly requestId: string;
  /** Null only for public calls without a session. */
  readonly principal: Principal | null;
  /** Headers to add to the answer, e.g. cookies. */
  readonly responseHeaders: Headers;
  /** The client's address as the host reports it. */
  readonly clientAddress: string;
};

/** The input of a handler, parsed by the call's own schemas. */
export type HandlerInput<C> = {
  readonly params: ParamsOf<C>;
  readonly query: QueryOf<C>;
  readonly body: BodyOf<C>;
  readonly context: RequestContext;
};

/** Returns the call's data, or a whole Response for streams. Throws `ApiError` for refusals. */
export type Handler<C extends Pick<Call, "data">> = (
  input: HandlerInput<C>,
) => Promise<DataOf<C> | Response>;

export type Route = { readonly call: Call; readonly handle: Handler<Call> };

/** Binds a call of the contract to its handler. */
export function route<C extends Call<never, never, never, never> | Call>(
  call: C,
  handle: Handler<C>,
): Route {
  return { call, handle };
}

/** The principal of a call whose policy requires one. */
export function principalOf(context: RequestContext): Principal {
  if (context.principal === null)
    throw new Error("This call's policy admits requests without a session");
  return context.principal;
}

/** The principal, for the audit log. */
export function actorOf(context: RequestContext): Actor {
  return {
    actorId: principalOf(context).userId,
    requestId: context.requestId,
    token: principalOf(context).token,
    address: context.clientAddress,
  };
}
