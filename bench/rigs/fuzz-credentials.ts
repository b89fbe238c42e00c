import * as auth from "#contract/auth.ts";
import type { AnyCall } from "#contract/call.ts";
import { CALLS } from "#contract/registry.ts";
import type { FuzzDice } from "./fuzz-dice.ts";
import type { Draft } from "./fuzz-draft.ts";
import { tell } from "./fuzz-spoil.ts";
import type { Actor, FuzzWorld } from "./fuzz-world.ts";

/** A damaged id may become `stream`, which makes the request one for the stream. */
const STREAM_PATHS: ReadonlySet<string> = new Set(
  CALLS.filter((call) => call.stream === true).map((call) => call.path),
);

/** Adds credentials to a draft; returns null when they belong to no actor. */
export type Presenter = (draft: Draft, call: AnyCall, world: FuzzWorld) => Promise<Actor | null>;

export function createPresenter({ random, pick }: FuzzDice): Presenter {
  async function credentials(draft: Draft, call: AnyCall, world: FuzzWorld): Promise<Actor | null> {
    const endsSession = call === auth.logout || call === auth.refresh;
    const kind = random();
    if (kind < 0.08) return null;
    if (kind < 0.2 && !endsSession) {
      presentNonsense(draft, world);
      return null;
    }
    const [administrator] = world.actors;
    if (kind < 0.22 && !endsSession && administrator !== undefined) {
      // Streams accept the token there, since a browser's EventSource cannot send headers.
      draft.query += `${draft.query === "" ? "" : "&"}token=${administrator.client.token}`;
      const meetsStream = call.stream === true || STREAM_PATHS.has(draft.path);
      if (!meetsStream) tell(draft, "credentials", "a token in the address");
      return administrator;
    }
    const actor = endsSession
      ? await world.passerBy()
      : kind < 0.72 && administrator !== undefined
        ? administrator
        : pick(world.actors);
    const transport = pick(["bearer", "cookie", "both"]);
    if (transport !== "cookie")
      draft.headers.push(["authorization", `Bearer ${actor.client.token}`]);
    if (transport !== "bearer") draft.headers.push(["cookie", cookiesOf(actor)]);
    return actor;
  }

  function presentNonsense(draft: Draft, world: FuzzWorld): void {
    const [administrator] = world.actors;
    const token = administrator?.client.token ?? "";
    const cookie = administrator?.client.cookies.get("vodkeep_session") ?? "";
    const other = pick(world.actors.slice(1));
    const bearers = [
      "Bearer",
      "Bearer  ",
      `bearer ${token}`,
      `Basic ${token}`,
      `Bearer ${token}x `,
      `Bearer ${token}, Bearer ${token}`,
      `Bearer ${token.toUpperCase()}g`,
      `Bearer ${"a".repeat(8_000)}`,
      `Bearer ${cookie}`,
      `Bearer ${world.streamTicket}`,
      `Bearer ${pick(world.deadTokens)}`,
      `Bearer ${"0".repeat(64)}`,
    ];
    draft.headers.push(
      ...pick<[string, string][]>([
        ...bearers.map((text): [string, string][] => [["authorization", text]]),
        [session(token)],
        [session("")],
        [session(`${cookie}; vodkeep_session=${"0".repeat(64)}`)],
        [session(cookie), ["authorization", `Bearer ${other.client.token}`]],
      ]),
    );
    draft.story.push("credentials");
  }

  return credentials;
}

function session(value: string): [string, string] {
  return ["cookie", `vodkeep_session=${value}`];
}

function cookiesOf({ client }: Actor): string {
  return [...client.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}
