import type { Exchange } from "../http/exchange.ts";
import type { Vod } from "../catalog/vod.ts";
import type { Fault, NewFault } from "./fault.ts";

/**
 * The pending faults: first those set by tests, newest first so that a special case can override a
 * general one, then those of the VOD's own scenario. The first match is counted down by one; at
 * most one applies to a request.
 */
export type FaultList = {
  add(fault: NewFault): void;
  /** Removes the faults set by tests; scenarios stay. */
  clear(): void;
  take(exchange: Exchange): Fault | null;
};

type Rule = Omit<NewFault, "times" | "forMs"> & {
  readonly pathRe: RegExp | null;
  readonly untilMs: number;
  times: number;
};

/** @param now milliseconds, for faults that end at a time */
export function createFaultList(catalog: readonly Vod[], now: () => number): FaultList {
  const ofScenarios = catalog.flatMap(({ id, faults }) =>
    faults.map((fault) => ruleOf({ ...fault, match: { ...fault.match, vodId: id } }, now())),
  );
  let rules = [...ofScenarios];

  return {
    add: (fault) => void rules.unshift(ruleOf(fault, now())),
    clear() {
      rules = [...ofScenarios];
    },
    take(exchange) {
      const nowMs = now();
      const rule = rules.find(
        (each) => each.times > 0 && nowMs < each.untilMs && fits(each, exchange),
      );
      if (rule === undefined) return null;
      rule.times -= 1;
      return rule.fault;
    },
  };
}

function ruleOf({ match, fault, forMs, times }: NewFault, nowMs: number): Rule {
  const pathRe = match.path === undefined ? null : new RegExp(match.path);
  const most = times ?? (forMs === undefined ? 1 : "forever");
  const untilMs = nowMs + (forMs ?? Infinity);
  return { match, fault, pathRe, untilMs, times: most === "forever" ? Infinity : most };
}

function fits({ match, pathRe }: Rule, exchange: Exchange): boolean {
  return (
    (match.kind === undefined || match.kind === exchange.kind) &&
    (match.vodId === undefined || match.vodId === exchange.vodId) &&
    (match.segmentIndex === undefined || match.segmentIndex === exchange.segmentIndex) &&
    (match.body === undefined || exchange.body.includes(match.body)) &&
    (match.clientId === undefined || match.clientId === exchange.headers.get("client-id")) &&
    (pathRe === null || pathRe.test(exchange.url.pathname + exchange.url.search))
  );
}
