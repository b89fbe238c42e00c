import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { twitchVodIdSchema } from "#contract/ids.ts";
import { createHurriedClock } from "#service/testing/test-clock.ts";
import { readChatReplay } from "./chat-replay.ts";
import type { GqlClient } from "./gql-client.ts";
import type { GqlAnswer, GqlRequest } from "./send-gql.ts";
import type { ChatComment } from "#service/source/source.ts";
import * as z from "zod/mini";

const vodId = twitchVodIdSchema.parse("2345678901");

const FROM_START = { sec: 0, knownIds: [] };

/** A chat of the fake API; `seconds` are the offsets of its comments, in order. */
type Chat = {
  readonly seconds: readonly number[];
  readonly pageSize: number;
  /** Number of comments by which pages by offset begin too early. */
  readonly earlyComments: number;
  /** The request from which on cursors are refused. */
  readonly refusesCursorsAfter: number;
};

/** A fake of Twitch's web API with pages by offset and by cursor. */
function openChat(chat: Chat): GqlClient & { readonly requests: () => number } {
  let requests = 0;
  async function tryAsk<Schema extends z.core.$ZodType>(
    { variables }: GqlRequest,
    schema: Schema,
  ): Promise<GqlAnswer<z.output<Schema>>> {
    requests += 1;
    const { cursor, contentOffsetSeconds } = variables;
    if (cursor !== undefined && requests > chat.refusesCursorsAfter)
      return {
        ok: false,
        refusal: { kind: "integrity", retryAfterMs: null, said: { code: "", text: "" } },
      };
    const atOffset = chat.seconds.findIndex((sec) => sec >= Number(contentOffsetSeconds));
    const first =
      cursor === undefined
        ? Math.max(0, (atOffset < 0 ? chat.seconds.length : atOffset) - chat.earlyComments)
        : Number(cursor) + 1;
    const end = Math.min(first + chat.pageSize, chat.seconds.length);
    const edges = chat.seconds.slice(first, end).map((sec, index) => ({
      cursor: String(first + index),
      node: { id: `c${first + index}`, contentOffsetSeconds: sec, createdAt: "", commenter: null },
    }));
    const pageInfo = { hasNextPage: end < chat.seconds.length };
    return {
      ok: true,
      data: z.parse(schema, { video: { id: vodId, comments: { edges, pageInfo } } }),
    };
  }
  return {
    requests: () => requests,
    tryAsk,
    ask: () => Promise.reject(new Error("Chat is read with retries only")),
  };
}

async function readAll(gql: GqlClient, short: number[] = []): Promise<readonly ChatComment[]> {
  const comments: ChatComment[] = [];
  for await (const page of readChatReplay(gql, createHurriedClock(), vodId, FROM_START)) {
    comments.push(...page.comments);
    short.push(...page.shortSeconds);
  }
  return comments;
}

/** Seconds between comments; 0 makes a busy second. */
const seconds = fc
  .array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 })), { maxLength: 120 })
  .map((gaps) => {
    let atSec = 0;
    return gaps.map((gap) => (atSec += gap));
  });

function busiestSecond(list: readonly number[]): number {
  return Math.max(0, ...list.map((sec) => list.filter((other) => other === sec).length));
}

describe("a chat of any shape", () => {
  it("is read completely and in order by cursor, with one request per page", async () => {
    await fc.assert(
      fc.asyncProperty(seconds, fc.integer({ min: 1, max: 60 }), async (list, pageSize) => {
        const gql = openChat({
          seconds: list,
          pageSize,
          earlyComments: 0,
          refusesCursorsAfter: Infinity,
        });
        const comments = await readAll(gql);
        expect(comments.map((one) => one.id)).toEqual(list.map((_, index) => `c${index}`));
        expect(gql.requests()).toBe(Math.max(1, Math.ceil(list.length / pageSize)));
      }),
    );
  });

  it("is continued after any comment by cursor, without repeating or losing one", async () => {
    await fc.assert(
      fc.asyncProperty(
        seconds,
        fc.integer({ min: 1, max: 20 }),
        fc.nat(119),
        async (list, pageSize, upTo) => {
          const chat = { seconds: list, pageSize, earlyComments: 0, refusesCursorsAfter: Infinity };
          const ids = list.map((_, index) => `c${index}`);
          const read = Math.min(upTo, ids.length);
          const from = { sec: list[read - 1] ?? 0, knownIds: ids.slice(0, read) };
          const comments: string[] = [];
          const pages = readChatReplay(openChat(chat), createHurriedClock(), vodId, from);
          for await (const page of pages) comments.push(...page.comments.map(({ id }) => id));
          expect(comments).toEqual(ids.slice(read));
        },
      ),
    );
  });

  it("is read completely by offset once cursors are refused, if no second fills a page", async () => {
    await fc.assert(
      fc.asyncProperty(
        seconds,
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 0, max: 5 }),
        async (list, earlyComments, spare, refusesCursorsAfter) => {
          const gql = openChat({
            seconds: list,
            pageSize: busiestSecond(list) + earlyComments + spare,
            earlyComments,
            refusesCursorsAfter,
          });
          const comments = await readAll(gql);
          expect(comments.map((one) => one.id)).toEqual(list.map((_, index) => `c${index}`));
        },
      ),
    );
  });

  it("loses only comments of one second that exceed a page, names it, and repeats none", async () => {
    await fc.assert(
      fc.asyncProperty(seconds, fc.integer({ min: 1, max: 8 }), async (list, pageSize) => {
        const gql = openChat({ seconds: list, pageSize, earlyComments: 0, refusesCursorsAfter: 0 });
        const short: number[] = [];
        const comments = await readAll(gql, short);
        const numbers = comments.map((one) => Number(one.id.slice(1)));
        expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
        for (const sec of new Set(list)) {
          const there = list.filter((other) => other === sec).length;
          const found = comments.filter((one) => one.offsetSec === sec).length;
          expect(found).toBeGreaterThanOrEqual(Math.min(there, pageSize));
          // There is no telling whether a second ends with its page.
          expect(short.includes(sec)).toBe(
            there > pageSize || (there === pageSize && short.includes(sec)),
          );
        }
      }),
    );
  });
});

it("requests the pages of a long chat only as they are consumed", async () => {
  const gql = openChat({
    seconds: Array.from({ length: 100_000 }, (_, index) => index),
    pageSize: 50,
    earlyComments: 0,
    refusesCursorsAfter: Infinity,
  });
  const pages = readChatReplay(gql, createHurriedClock(), vodId, FROM_START);
  await pages.next();
  await pages.next();
  expect(gql.requests()).toBe(2);
  await pages.return(undefined);
});

it("fails when Twitch keeps returning the same page", async () => {
  const gql = openChat({ seconds: [1], pageSize: 1, earlyComments: 0, refusesCursorsAfter: 0 });
  const repeating: GqlClient = {
    ...gql,
    async tryAsk(request, schema) {
      const answer = await gql.tryAsk(
        { ...request, variables: { contentOffsetSeconds: 0 } },
        schema,
      );
      const text = JSON.stringify(answer).replace('"hasNextPage":false', '"hasNextPage":true');
      return JSON.parse(text);
    },
  };
  await expect(readAll(repeating)).rejects.toMatchObject({ failureClass: "try_later" });
});

it("fails when Twitch always returns another page", async () => {
  let requests = 0;
  const endless: GqlClient = {
    ask: () => Promise.reject(new Error("Chat is read with retries only")),
    async tryAsk(_request, schema) {
      requests += 1;
      const node = { id: `c${requests}`, contentOffsetSeconds: 1, createdAt: "", commenter: null };
      const edges = [{ cursor: String(requests), node }];
      const comments = { edges, pageInfo: { hasNextPage: true } };
      return { ok: true, data: z.parse(schema, { video: { id: vodId, comments } }) };
    },
  };
  const pages = readChatReplay(endless, createHurriedClock(), vodId, FROM_START);
  async function readOn(): Promise<void> {
    for await (const _page of pages);
  }
  await expect(readOn()).rejects.toThrow("does not end");
  expect(requests).toBe(100_000);
});
