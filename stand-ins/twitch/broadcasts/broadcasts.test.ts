import { expect, it, onTestFinished } from "vitest";
import * as z from "zod/mini";
import type { ListFault } from "../faults/list-fault.ts";
import { startTwitchStandIn } from "../server.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const tokenSchema = z.object({ access_token: z.string() });
const pageSchema = z.object({
  data: z.array(z.record(z.string(), z.unknown())),
  pagination: z.object({ cursor: z.optional(z.string()) }),
});

async function openTwitch() {
  const twitch = await startTwitchStandIn({ now: () => Date.UTC(2026, 0, 1) });
  onTestFinished(() => twitch.close());
  const { TWITCH_CLIENT_ID: client_id, TWITCH_CLIENT_SECRET: client_secret } = twitch.settings;
  const body = new URLSearchParams({ client_id, client_secret, grant_type: "client_credentials" });
  const granted = await twitch.fetch(`${twitch.url}/oauth2/token`, { method: "POST", body });
  const { access_token: token } = tokenSchema.parse(await granted.json());
  const headers = { authorization: `Bearer ${token}`, "client-id": client_id };
  async function page(path: string) {
    const response = await twitch.fetch(`${twitch.url}/helix${path}`, { headers });
    return response.ok ? pageSchema.parse(await response.json()) : response.status;
  }
  /** The ids on each page; a status ends the list. */
  async function pages(path: string, most = 5) {
    const listed: unknown[] = [];
    for (let after = ""; listed.length < most;) {
      const answer = await page(`${path}${after}`);
      if (typeof answer === "number") return [...listed, answer];
      listed.push(answer.data.map(({ id }) => id).join(" "));
      if (answer.pagination.cursor === undefined) return listed;
      after = `&after=${answer.pagination.cursor}`;
    }
    return listed;
  }
  return { control: twitch.control, page, pages };
}

it("broadcasts: VODs appear late, grow, end, are muted and expire", async () => {
  const { control, page } = await openTwitch();
  const { id } = control.addAccount({ keepsDays: 7 });
  const [live, list] = [`/streams?user_id=${id}`, `/videos?user_id=${id}`];
  control.schedule(id, {
    firstInMs: MINUTE_MS,
    everyMs: 20 * DAY_MS,
    lastsMs: 10 * MINUTE_MS,
    vodLateMs: 3 * MINUTE_MS,
    mutes: { indices: [2, 3, 7], afterMs: MINUTE_MS },
  });
  expect(await page(live)).toMatchObject({ data: [] });
  control.advance(3 * MINUTE_MS);
  expect(await page(live)).toMatchObject({ data: [{ started_at: "2026-01-01T00:01:00Z" }] });
  expect(await page(list)).toMatchObject({ data: [] });
  control.advance(MINUTE_MS);
  expect(await page(list)).toMatchObject({ data: [{ duration: "3m0s", muted_segments: null }] });
  control.advance(8 * MINUTE_MS);
  expect(await page(live)).toMatchObject({ data: [] });
  expect(await page(list)).toMatchObject({
    data: [
      {
        duration: "10m0s",
        created_at: "2026-01-01T00:01:00Z",
        muted_segments: [
          { offset: 20, duration: 20 },
          { offset: 70, duration: 10 },
        ],
      },
    ],
  });
  control.advance(7 * DAY_MS);
  expect(await page(list)).toMatchObject({ data: [] });
  control.keep(id, null);
  control.advance(20 * DAY_MS);
  expect(await page(list)).toMatchObject({ data: [{ duration: "10m0s" }] });
});

const faults: readonly (readonly [ListFault | null, readonly unknown[]])[] = [
  [null, ["5 4", "3 2", "1"]],
  [{ type: "skip", every: 2 }, ["5", "3", "1"]],
  [{ type: "skip", vodIds: ["4"] }, ["5", "3 2", "1"]],
  [{ type: "repeat" }, ["5 4", "4 3 2", "2 1"]],
  [{ type: "reverse" }, ["1 2", "3 4", "5"]],
  [{ type: "emptyPages", pages: 1 }, ["", "5 4", "3 2", "1"]],
  [{ type: "endless" }, ["5 4", "3 2", "1", "1", "1"]],
  [{ type: "pageFails", page: 2, status: 500 }, ["5 4", 500]],
];

it("lists of VODs have the faults asked for, and a stale list is an old one", async () => {
  const { control, pages } = await openTwitch();
  const { id: ownerId } = control.addAccount();
  const { id: other } = control.addAccount();
  const names = new Map<unknown, number>();
  const add = (number: number, of = ownerId): void => {
    const createdAt = Date.UTC(2025, 11, number);
    names.set(control.addVod({ ownerId: of, createdAt, type: "highlight" }).id, number);
  };
  const listed = async (): Promise<unknown[]> => {
    const found = await pages(`/videos?user_id=${ownerId}&first=2`);
    return found.map((each) =>
      typeof each === "string" ? each.replaceAll(/\d+/g, (id) => String(names.get(id))) : each,
    );
  };
  for (const number of [1, 2, 3, 4, 5]) add(number);
  for (const [fault, expected] of faults) {
    const vodIds = [...names].flatMap(([id, number]) => (number === 4 ? [String(id)] : []));
    const named =
      fault?.type === "skip" && fault.vodIds !== undefined ? { ...fault, vodIds } : fault;
    control.listFault(ownerId, named);
    expect([fault, ...(await listed())]).toEqual([fault, ...expected]);
    control.listFault(ownerId, null);
  }
  control.listFault(ownerId, { type: "stale" }, MINUTE_MS);
  add(6);
  expect(await listed()).toEqual(["5 4", "3 2", "1"]);
  control.advance(MINUTE_MS);
  expect(await listed()).toEqual(["6 5", "4 3", "2 1"]);
  add(7, other);
  control.listFault(ownerId, { type: "strangers", accountId: other });
  expect(await listed()).toEqual(["7 6", "5 4", "3 2", "1"]);
});

function count(found: readonly unknown[]): number[] {
  return found.map((each) => String(each).split(" ").length);
}

it("Get Streams misses a live channel once; at most 100 per call, 20 a page", async () => {
  const { control, pages } = await openTwitch();
  const ids = Array.from({ length: 101 }, () => control.addAccount().id);
  for (const id of ids.slice(0, 30)) control.goLive(id);
  const users = ids.map((id) => `user_id=${id}`);
  expect(await pages(`/streams?${users.join("&")}`)).toEqual([400]);
  const asked = `/streams?${users.slice(0, 100).join("&")}`;
  expect(count(await pages(asked))).toEqual([20, 10]);
  control.listFault(ids[0] ?? "", { type: "notLive" });
  expect(count(await pages(`${asked}&first=100`))).toEqual([29]);
  expect(count(await pages(`${asked}&first=100`))).toEqual([30]);
});
