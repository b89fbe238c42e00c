/**
 * SHA-256 of each persisted query that the service sends, as of mid-2026 (docs/twitch.md#web-api).
 * Where Twitch retires one, the inline form goes on.
 */
export const GQL_HASHES = {
  PlaybackAccessToken: "ed230aa1e33e07eebb8928504583da78a5173989fadfb1ac94be06a04f3cdbe9",
  VideoMetadata: "45111672eea2e507f8ba44d101a61862f9c56b11dee09a15634cb75cb9b9084d",
  VideoPlayer_VODSeekbarPreviewVideo:
    "07e99e4d56c5a7c67117a154777b0baf85a5ffefa393b213f4bc712ccaf85dd6",
  VideoPlayer_ChapterSelectButtonVideo:
    "71835d5ef425e154bf282453a926d99b328cdc5e32f36d3a209d0f4778b41203",
  VideoCommentsByOffsetOrCursor: "b70a3591ff0f4e0313d126c6a1502d79a1c02baebb288227c582044aa76adf6a",
} as const;

export type GqlOperationName = keyof typeof GQL_HASHES;

/**
 * First-party client ids of the web player, of the TV application and of the mobile site. They are
 * tried in turn; the last one comes first for chat, whose cursors work with it. Each more costs two
 * requests whenever Twitch refuses all of them.
 */
export const GQL_CLIENT_IDS = [
  "kimne78kx3ncx6brgo4mv6wki5h1ko",
  "ue6666qo983tsx6so1t0vnawi233wa",
  "kd1unb4b3q4t58fwlpcbzcbnm76a8fp",
] as const;
