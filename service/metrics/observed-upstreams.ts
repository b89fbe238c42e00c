import type { Platform } from "#service/platform.ts";
import type { Telemetry, Upstream } from "#service/ports/telemetry.ts";

/**
 * The platform's requests to other services, counted by what they answer. Each attempt counts, so
 * that retries show.
 */
export function observeUpstreams({
  fetch,
  receive,
  telemetry,
}: Platform): Pick<Platform, "fetch" | "receive"> {
  if (telemetry === null) return { fetch, ...(receive === undefined ? {} : { receive }) };
  return {
    fetch: observeUpstream("api", fetch, telemetry),
    ...(receive === undefined ? {} : { receive: observeUpstream("media", receive, telemetry) }),
  };
}

/** Counts each answer of one upstream, and each request without one. */
export function observeUpstream<
  Parameters extends readonly unknown[],
  Answer extends { readonly status: number },
>(
  upstream: Upstream,
  request: (...parameters: Parameters) => Promise<Answer>,
  telemetry: Telemetry,
): (...parameters: Parameters) => Promise<Answer> {
  return async (...parameters) => {
    try {
      const answer = await request(...parameters);
      telemetry.upstreamAnswered(upstream, answer.status);
      return answer;
    } catch (error) {
      telemetry.upstreamAnswered(upstream, null);
      throw error;
    }
  };
}
