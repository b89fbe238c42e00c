import type * as z from "zod/mini";
import type { Policy } from "./permissions.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/**
 * One call of the API: what it is, who may make it, what goes in and what comes out.
 * Routing, the permission guard, the tests' matrix and the OpenAPI document all read this.
 *
 * - `path` uses `{name}` for one segment and `{name+}` for the rest of the path.
 * - `query` and `body` are strict: an unknown field is refused, never ignored.
 * - `data` is what a success carries in `{"data": …}`; `stream` marks a server-sent event stream
 *   whose messages follow that schema instead, `lines` a file of JSON lines that do.
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
  /** True when the call may also be made without any body. */
  readonly bodyOptional?: boolean;
  /** True when a sign-in that is older than REAUTHENTICATE_MINUTES does not do. */
  readonly needsRecentSignIn?: boolean;
  readonly data: Data;
  readonly successStatus?: 200 | 201;
  readonly stream?: boolean;
  readonly lines?: boolean;
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
export type DataOf<C> = C extends Call<infer _P, infer _Q, infer _B, infer D> ? z.output<D> : never;
