import { Failure } from "#service/failure.ts";
import { errorResponse } from "./error-response.ts";
import { describeApi } from "./openapi.ts";

/**
 * Addresses outside the contract, for load balancers and for tools that read the API's description.
 */
export function createPlainRoutes(
  publicUrl: string,
): (request: Request, pathname: string) => Response | null {
  // Built on first use: most processes are never asked, and starts should be fast.
  let description: string | null = null;
  const answers: Readonly<Record<string, () => Response>> = {
    "/healthz": () => json('{"status":"ok"}'),
    "/openapi.json": () => json((description ??= JSON.stringify(describeApi(publicUrl)))),
  };

  return (request, pathname) => {
    const answer = Object.hasOwn(answers, pathname) ? answers[pathname] : undefined;
    if (answer === undefined) return null;
    if (request.method === "GET" || request.method === "HEAD") return answer();
    const refusal = errorResponse(
      new Failure("method_not_allowed", "This address does not take that kind of request."),
    );
    refusal.headers.set("allow", "GET, HEAD");
    return refusal;
  };
}

function json(text: string): Response {
  return new Response(text, { headers: { "content-type": "application/json" } });
}
