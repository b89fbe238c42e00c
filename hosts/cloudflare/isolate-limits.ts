import { createRequestLimits, type RequestLimits } from "#service/http/request-limits.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { Settings } from "#service/settings.ts";

const ofFactor = new Map<number, RequestLimits>();

/**
 * One for all services in an isolate: a service that lives as long as one event stream would count
 * that one request alone. Plain memory, which any request may touch.
 */
export function limitsOfIsolate(
  clock: Clock,
  { RATE_LIMIT_FACTOR: factor }: Settings,
): RequestLimits {
  const limits = ofFactor.get(factor) ?? createRequestLimits(clock, factor);
  ofFactor.set(factor, limits);
  return limits;
}
