import type * as z from "zod/mini";
import type { Policy } from "./permissions.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/**
 * One call of the API: address, policy, input and output. Routing, the permission guard, the tests'
 * matrix and the OpenAPI document all read this.
 *
 * - `path` uses `{name}` for one segment and `{name+}` for the rest of the path.
 * - `query` and `body` are strict: an unknown field is refused, never ignored.
 * - `data` is the schema of a success's `{"data": …}`; for a `stream` (server-sent events) or
 *   `lines` (a file of JSON lines) it is the schema of each message or line.
 */
export type Call<
  Params extends z.core.$ZodType = z.core.$ZodType,
  Query extends z.core.$ZodType = z.core.$ZodType,
  Body extends z.core.$ZodType = z.core.$ZodType,
  Data extends z.core.$ZodType = z.core.$ZodType,
> = {
  readonly method: Method;
  readonly path: `/${string}`;
  readonly policy: Policy;
  readonly summary: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** True when the body may be omitted. */
  readonly bodyOptional?: boolean;
  /** True when a sign-in older than REAUTHENTICATE_MINUTES is refused. */
  readonly needsRecentSignIn?: boolean;
  /** True when an API token is refused. Calls with policy `session` always refuse it. */
  readonly refusesTokens?: boolean;
  readonly data: Data;
  readonly successStatus?: 200 | 201;
  readonly stream?: boolean;
  readonly lines?: boolean;
  /** Media types of an answer that is bytes instead of JSON. */
  readonly media?: readonly string[];
};

export type AnyCall = Call;

/** Keeps the literal types of a call's schemas. */
export function defineCall<
  Params extends z.core.$ZodType = z.core.$ZodType<undefined, undefined>,
  Query extends z.core.$ZodType = z.core.$ZodType<undefined, undefined>,
  Body extends z.core.$ZodType = z.core.$ZodType<undefined, undefined>,
  Data extends z.core.$ZodType = z.core.$ZodType,
>(call: Call<Params, Query, Body, Data>): Call<Params, Query, Body, Data> {
  return call;
}

export type ParamsOf<C> =
  C extends Call<infer P, infer _Q, infer _B, infer _D> ? z.output<P> : never;
export type QueryOf<C> =
  C extends Call<infer _P, infer Q, infer _B, infer _D> ? z.output<Q> : never;
export type BodyOf<C> = C extends Call<infer _P, infer _Q, infer B, infer _D> ? z.output<B> : never;
export type DataOf<C extends { readonly data: z.core.$ZodType }> = z.output<C["data"]>;
