import type { FaultMatch, NewFault } from "#stand-ins/twitch/faults/fault.ts";
import type { TwitchSteering } from "#stand-ins/twitch/control/steer-twitch.ts";
import type { Kind, Step } from "./source-case.ts";

/** What the parts of Twitch begin to say of the VOD of a case, or its owner does. */

type Part = Parameters<TwitchSteering["claim"]>[1];
type Claims = NonNullable<Parameters<TwitchSteering["claim"]>[2]>;

export const claim =
  (part: Part, claims: Claims = {}): Step =>
  ({ control }, vodId) =>
    control.claim(vodId, part, claims);
export const missing = (...parts: readonly Part[]): Step =>
  all(...parts.map((part) => claim(part, { isMissing: true })));
export const there = (...parts: readonly Part[]): Step => all(...parts.map((part) => claim(part)));
export const grow =
  (segments: number): Step =>
  ({ control }, vodId) =>
    control.grow(vodId, segments);
export const end: Step = ({ control }, vodId) => control.end(vodId);
export const hide: Step = ({ control }, vodId) => control.hide(vodId);
export const remove: Step = ({ control }, vodId) => control.deleteVod(vodId);
export const fault =
  (match: FaultMatch, what: NewFault["fault"], times: NewFault["times"] = 1): Step =>
  ({ control }, vodId) =>
    control.addFault({ match: { ...match, vodId }, fault: what, times });

export const all =
  (...steps: readonly Step[]): Step =>
  async (stage, vodId) => {
    for (const step of steps) await step(stage, vodId);
  };
/** After the first answer to a request of this kind. */
export const onceAsked =
  (kind: Kind, step: Step): Step =>
  async (stage, vodId) => {
    const { clock, control } = stage;
    while ((await control.requests({ kind, vodId })).length === 0) await clock.sleep(500);
    await step(stage, vodId);
  };
/** Until a further request of this kind is answered, `step` holds. */
export const whileAsked =
  (kind: Kind, step: Step, after: Step): Step =>
  async (stage, vodId) => {
    const { clock, control } = stage;
    const asked = (await control.requests({ kind, vodId })).length;
    await step(stage, vodId);
    while ((await control.requests({ kind, vodId })).length === asked) await clock.sleep(500);
    await after(stage, vodId);
  };
