import { createRequestLimits, type RequestLimits } from "#service/http/request-limits.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { Settings } from "#service/settings.ts";

const ofFactor = new Map<number, RequestLimits>();

/**
 * Shares the limits among all services in an isolate: the service of an event stream would
 * otherwise count only its own request. They are plain memory, which any request may access.
 */
export function limitsOfIsolate(
  clock: Clock,
  { RATE_LIMIT_FACTOR: factor }: Settings,
): RequestLimits {
  const limits = ofFactor.get(factor) ?? createRequestLimits(clock, factor);
  ofFactor.set(factor, limits);
  return limits;
}
