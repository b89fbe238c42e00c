import { describeApi } from "./openapi.ts";
import { DESCRIPTION } from "./request-limits.ts";
import type { RateLimit } from "./rate-limiter.ts";

/** An address outside the contract, read by load balancers, collectors, players and tools. */
export type OtherRoute = {
  /** As in the contract. */
  readonly path: string;
  /** Per address; absent where load balancers ask. */
  readonly limit?: RateLimit;
  /** Answers GET and HEAD. */
  readonly answer: (
    request: Request,
    info: { readonly requestId: string; readonly clientAddress: string },
  ) => Response | Promise<Response>;
};

/** Reports that the process runs. */
export const healthRoute: OtherRoute = {
  path: "/healthz",
  answer: () => json('{"status":"ok"}'),
};

export function descriptionRoute(publicUrl: string): OtherRoute {
  // Built on first use: most processes are never asked, and starts should be fast.
  let description: string | null = null;
  return {
    path: "/openapi.json",
    limit: DESCRIPTION,
    answer: () => json((description ??= JSON.stringify(describeApi(publicUrl)))),
  };
}

function json(text: string): Response {
  return new Response(text, { headers: { "content-type": "application/json" } });
}
