import type { Exchange } from "../http/exchange.ts";
import type { Vod } from "../catalog/vod.ts";
import type { Fault, FaultMatch, NewFault } from "./fault.ts";

/**
 * The pending faults: first those set by tests, newest first so that a special case can override a
 * general one, then those of the VOD's own scenario. The first match is counted down by one; at
 * most one applies to a request.
 */
export type FaultList = {
  add(fault: NewFault): void;
  /** Removes the faults set by tests; scenarios stay. */
  clear(): void;
  take(exchange: Exchange, vod: Vod | null): Fault | null;
};

type Rule = {
  match: FaultMatch;
  pathRe: RegExp | null;
  fault: Fault;
  times: number;
  usedTimes: number;
};

export function createFaultList(): FaultList {
  let rules: Rule[] = [];
  const scenarioUses = new Map<string, number>();

  return {
    add(fault) {
      rules.unshift({
        match: fault.match,
        pathRe: fault.match.path === undefined ? null : new RegExp(fault.match.path),
        fault: fault.fault,
        times: fault.times === "forever" ? Infinity : (fault.times ?? 1),
        usedTimes: 0,
      });
    },
    clear() {
      rules = [];
    },
    take(exchange, vod) {
      for (const rule of rules) {
        if (rule.usedTimes < rule.times && fits(rule.match, rule.pathRe, exchange)) {
          rule.usedTimes += 1;
          return rule.fault;
        }
      }
      for (const [position, scenario] of (vod?.faults ?? []).entries()) {
        const key = `${vod?.id ?? ""}/${position}`;
        const used = scenarioUses.get(key) ?? 0;
        const times = scenario.times === "forever" ? Infinity : scenario.times;
        if (used < times && fits(scenario.match, null, exchange)) {
          scenarioUses.set(key, used + 1);
          return scenario.fault;
        }
      }
      return null;
    },
  };
}

function fits(match: FaultMatch, pathRe: RegExp | null, exchange: Exchange): boolean {
  return (
    (match.kind === undefined || match.kind === exchange.kind) &&
    (match.vodId === undefined || match.vodId === exchange.vodId) &&
    (match.segmentIndex === undefined || match.segmentIndex === exchange.segmentIndex) &&
    (match.body === undefined || exchange.body.includes(match.body)) &&
    (pathRe === null || pathRe.test(exchange.url.pathname + exchange.url.search))
  );
}
