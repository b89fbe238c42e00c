import { afterEach, beforeEach, expect, test } from "vitest";
import { startTwitchStandIn, type TwitchStandIn } from "../server.ts";
import {
  clientId,
  clientSecret,
  otherClientId,
  playbackToken,
  postGql,
  readJsonObject,
  signIn,
  webClientId,
} from "../testing/twitch-client.ts";

let standIn: TwitchStandIn;
const nowMs = Date.parse("2026-11-20T12:00:00Z");

beforeEach(async () => {
  standIn = await startTwitchStandIn({ clientId, clientSecret, now: () => nowMs });
});
afterEach(async () => {
  await standIn.close();
});

function persisted(operationName: string, sha256Hash: string, variables: object): object {
  return { operationName, variables, extensions: { persistedQuery: { version: 1, sha256Hash } } };
}

const TOKEN_HASH = "ed230aa1e33e07eebb8928504583da78a5173989fadfb1ac94be06a04f3cdbe9";
const COMMENTS_HASH = "b70a3591ff0f4e0313d126c6a1502d79a1c02baebb288227c582044aa76adf6a";
const tokenVariables = {
  isLive: false,
  login: "",
  isVod: true,
  vodID: "2000001010",
  playerType: "site",
  platform: "web",
};

test("a playback token is JSON for this VOD, good for 20 hours, signed in 40 hex digits", async () => {
  const token = await playbackToken(standIn, "2000001010");
  expect(token?.signature).toMatch(/^[0-9a-f]{40}$/);
  expect(JSON.parse(token?.value ?? "")).toMatchObject({
    authorization: { forbidden: false, reason: "" },
    expires: nowMs / 1_000 + 20 * 3_600,
    vod_id: 2_000_001_010,
    version: 2,
  });
});

test("the persisted form gives a token too, and a batch an answer each", async () => {
  const body = [
    persisted("PlaybackAccessToken", TOKEN_HASH, tokenVariables),
    { query: "query($v:ID!){video(id:$v){title status}}", variables: { v: "2000001010" } },
    persisted("PlaybackAccessToken", "0".repeat(64), tokenVariables),
  ];
  const replies: unknown = await (await postGql(standIn, body)).json();
  expect(replies).toMatchObject([
    { data: { videoPlaybackAccessToken: { signature: expect.any(String) } } },
    { data: { video: { title: "1: TS ladder", status: "RECORDED" } } },
    { errors: [{ message: "PersistedQueryNotFound" }] },
  ]);
});

test("persisted queries can be gone altogether while inline ones go on", async () => {
  standIn.control.change({ persistedQueriesAreGone: true });
  const body = persisted("PlaybackAccessToken", TOKEN_HASH, tokenVariables);
  expect(await (await postGql(standIn, body)).json()).toMatchObject({
    errors: [{ message: "PersistedQueryNotFound" }],
  });
  expect(await playbackToken(standIn, "2000001010")).not.toBeNull();
});

test("a deleted VOD has neither token nor video", async () => {
  expect(await playbackToken(standIn, "2000001080")).toBeNull();
  const response = await postGql(standIn, { query: '{video(id:"2000001080"){id}}' });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ data: { video: null } });
});

test("the metadata that archivers ask for is there", async () => {
  const query = `{video(id:"2000000001"){title,thumbnailURLs(height:180,width:320),createdAt,lengthSeconds,
    owner{id,displayName,login},viewCount,game{id,displayName,boxArtURL},description,status,broadcastType,
    previewThumbnailURL,resourceRestriction{id type} self{isRestricted}}}`;
  expect(await (await postGql(standIn, { query })).json()).toMatchObject({
    data: {
      video: {
        title: "Two hours of calm flying",
        lengthSeconds: 7_200,
        owner: { id: "1005", login: "pixelpilot" },
        status: "RECORDED",
        broadcastType: "ARCHIVE",
        thumbnailURLs: [expect.stringContaining("320x180")],
        previewThumbnailURL: expect.stringContaining("{width}x{height}"),
        resourceRestriction: null,
        self: { isRestricted: false },
      },
    },
  });
});

test("a field that Twitch does not have is an error with status 200", async () => {
  const response = await postGql(standIn, { query: '{video(id:"2000001010"){expiresAt}}' });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    errors: [{ message: 'Cannot query field "expiresAt" on type "Video".' }],
  });
});

test("chapters and muted ranges have their persisted operations", async () => {
  const chapters = persisted(
    "VideoPlayer_ChapterSelectButtonVideo",
    "71835d5ef425e154bf282453a926d99b328cdc5e32f36d3a209d0f4778b41203",
    { includePrivate: false, videoID: "2000000001" },
  );
  const muted = persisted(
    "VideoPlayer_MutedSegmentsAlertOverlay",
    "c36e7400657815f4704e6063d265dff766ed8fc1590361c6d71e4368805e0b49",
    { includePrivate: false, vodID: "2000001050" },
  );
  expect(await (await postGql(standIn, [chapters, muted])).json()).toMatchObject([
    {
      data: {
        video: {
          moments: {
            edges: [
              {
                node: {
                  positionMilliseconds: 0,
                  durationMilliseconds: 3_600_000,
                  type: "GAME_CHANGE",
                },
              },
              { node: { positionMilliseconds: 3_600_000, details: { game: { id: "512953" } } } },
            ],
          },
        },
      },
    },
    {
      data: {
        video: {
          muteInfo: {
            mutedSegmentConnection: {
              nodes: [
                { offset: 20, duration: 20 },
                { offset: 70, duration: 10 },
              ],
            },
          },
        },
      },
    },
  ]);
});

type CommentsReply = {
  readonly data: {
    readonly video: {
      readonly comments: {
        readonly edges: readonly {
          readonly cursor: string;
          readonly node: {
            readonly id: string;
            readonly contentOffsetSeconds: number;
            readonly commenter: object | null;
          };
        }[];
        readonly pageInfo: { readonly hasNextPage: boolean };
      } | null;
    };
  };
};

async function comments(variables: object, asClient: string): Promise<CommentsReply> {
  const body = persisted("VideoCommentsByOffsetOrCursor", COMMENTS_HASH, variables);
  const response = await postGql(standIn, body, { "client-id": asClient });
  const reply: CommentsReply = JSON.parse(await response.text());
  return reply;
}

test("chat by cursor shows every comment once, in order, deleted users included", async () => {
  const seen: { id: string; at: number; gone: boolean }[] = [];
  let variables: object = { videoID: "2000000003", contentOffsetSeconds: 0 };
  for (;;) {
    const page = (await comments(variables, otherClientId)).data.video.comments;
    for (const { node } of page?.edges ?? []) {
      const gone = node.commenter === null;
      seen.push({ id: node.id, at: node.contentOffsetSeconds, gone });
    }
    if (page?.pageInfo.hasNextPage !== true) {
      break;
    }
    variables = { videoID: "2000000003", cursor: page.edges.at(-1)?.cursor };
  }
  expect(seen).toHaveLength(15 * 12);
  expect(new Set(seen.map((comment) => comment.id)).size).toBe(seen.length);
  const offsets = seen.map((comment) => comment.at);
  expect(offsets).toEqual(offsets.toSorted((left, right) => left - right));
  expect(seen.some((comment) => comment.gone)).toBe(true);
});

test("chat by offset begins where asked, for the web client too, whose cursors are gated", async () => {
  const page = await comments({ videoID: "2000000003", contentOffsetSeconds: 600 }, webClientId);
  const first = page.data.video.comments?.edges[0];
  expect(first?.node.contentOffsetSeconds).toBeGreaterThanOrEqual(595);
  expect(first?.node.contentOffsetSeconds).toBeLessThan(620);
  const gated = await comments({ videoID: "2000000003", cursor: first?.cursor }, webClientId);
  expect(gated).toMatchObject({
    errors: [{ message: "failed integrity check" }],
    extensions: { challenge: { type: "integrity" } },
  });
});

test("comments can be null twice and then be there", async () => {
  const variables = { videoID: "2000001150", contentOffsetSeconds: 0 };
  const pages = [];
  for (let round = 0; round < 3; round += 1) {
    pages.push((await comments(variables, otherClientId)).data.video.comments);
  }
  expect(pages[0]).toBeNull();
  expect(pages[1]).toBeNull();
  expect(pages[2]?.edges.length).toBeGreaterThan(0);
});

test("the GQL scenarios fail as their titles say", async () => {
  const ask = async (vodId: string): Promise<object> =>
    readJsonObject(await postGql(standIn, { query: `{video(id:"${vodId}"){id}}` }));
  expect(await ask("2000001151")).toMatchObject({
    errors: [{ message: "failed integrity check" }],
    extensions: { challenge: { type: "integrity" } },
  });
  expect(await ask("2000001152")).toMatchObject({ errors: [{ message: "service timeout" }] });
  expect(await ask("2000001152")).toMatchObject({ errors: [{ message: "service timeout" }] });
  expect(await ask("2000001152")).toMatchObject({ data: { video: { id: "2000001152" } } });
  expect(await playbackToken(standIn, "2000001153")).toBeNull();
  expect(await playbackToken(standIn, "2000001153")).toBeNull();
  expect(await playbackToken(standIn, "2000001153")).not.toBeNull();
  expect(await playbackToken(standIn, "2000001154")).not.toBeNull();
  const body = persisted("PlaybackAccessToken", TOKEN_HASH, {
    ...tokenVariables,
    vodID: "2000001154",
  });
  expect(await (await postGql(standIn, body)).json()).toMatchObject({
    errors: [{ message: "PersistedQueryNotFound" }],
  });
});

test("a client that Twitch does not know is refused", async () => {
  const body = { query: '{video(id:"2000001010"){id}}' };
  const response = await postGql(standIn, body, { "client-id": "wrong" });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ message: 'The "Client-ID" header is invalid.' });
});

test.each(["login", "isLive", "vodID", "isVod", "playerType", "platform"])(
  "a playback token is not given without %s",
  async (name) => {
    const variables = { ...tokenVariables, [name]: undefined };
    const body = persisted("PlaybackAccessToken", TOKEN_HASH, variables);
    expect(await (await postGql(standIn, body)).json()).toMatchObject({
      errors: [{ message: expect.stringContaining(`Variable "$${name}" of required type`) }],
    });
  },
);

test("a batch is answered as an array while a VOD has no token yet", async () => {
  const body = [
    { query: '{video(id:"2000001153"){id}}' },
    persisted("PlaybackAccessToken", TOKEN_HASH, { ...tokenVariables, vodID: "2000001153" }),
  ];
  expect(await (await postGql(standIn, body)).json()).toMatchObject([
    { data: { video: { id: "2000001153" } } },
    { data: { videoPlaybackAccessToken: null } },
  ]);
});

test("a bad session is 401 although the same question without one is answered", async () => {
  const body = { query: '{video(id:"2000001010"){id}}' };
  expect((await postGql(standIn, body, { authorization: "OAuth bad" })).status).toBe(401);
  expect((await postGql(standIn, body)).status).toBe(200);
  const { accessToken } = await signIn(standIn, "1005");
  expect((await postGql(standIn, body, { authorization: `OAuth ${accessToken}` })).status).toBe(
    200,
  );
});

test.each([[[]], ["text"], [{ query: 5 }]])("%j is not an operation it answers", async (body) => {
  const response = await postGql(standIn, body);
  const reply = await response.text();
  expect(response.status === 400 || reply.includes("PersistedQueryNotFound")).toBe(true);
});
