/**
 * Persisted operations by hash, as of mid-2026 (docs/twitch.md#web-api and #chat-replay), with the
 * query text that each hash stands for. Other hashes return PersistedQueryNotFound.
 */
const playbackAccessToken = `query PlaybackAccessToken($login: String!, $isLive: Boolean!, $vodID: ID!, $isVod: Boolean!, $playerType: String!, $platform: String!) {
  streamPlaybackAccessToken(channelName: $login, params: {platform: $platform, playerBackend: "mediaplayer", playerType: $playerType}) @include(if: $isLive) {
    value signature authorization { isForbidden forbiddenReasonCode } __typename
  }
  videoPlaybackAccessToken(id: $vodID, params: {platform: $platform, playerBackend: "mediaplayer", playerType: $playerType}) @include(if: $isVod) {
    value signature authorization { isForbidden forbiddenReasonCode } __typename
  }
}`;

const videoMetadata = `query VideoMetadata($channelLogin: String!, $videoID: ID!) {
  user(login: $channelLogin) { id primaryColorHex isPartner profileImageURL(width: 70) __typename }
  currentUser { id login __typename }
  video(id: $videoID) {
    id title description previewThumbnailURL(width: 70, height: 70) createdAt viewCount publishedAt lengthSeconds
    broadcastType owner { id login displayName __typename } game { id boxArtURL name displayName __typename } __typename
  }
}`;

const chapters = `query VideoPlayer_ChapterSelectButtonVideo($videoID: ID) {
  video(id: $videoID) {
    id moments(momentRequestType: VIDEO_CHAPTER_MARKERS) {
      edges { cursor node {
        id durationMilliseconds positionMilliseconds type description subDescription thumbnailURL
        details { game { id displayName boxArtURL __typename } __typename }
        video { id lengthSeconds __typename } moments { edges { cursor } } __typename
      } __typename } __typename
    } __typename
  }
}`;

const seekbarPreview = `query VideoPlayer_VODSeekbarPreviewVideo($videoID: ID!) {
  video(id: $videoID) { id seekPreviewsURL __typename }
}`;

const comments = `query VideoCommentsByOffsetOrCursor($videoID: ID!, $contentOffsetSeconds: Int, $cursor: Cursor) {
  video(id: $videoID) {
    id creator { id channel { id } }
    comments(contentOffsetSeconds: $contentOffsetSeconds, after: $cursor) {
      edges { cursor node {
        id commenter { id login displayName __typename } contentOffsetSeconds createdAt
        message {
          fragments { emote { id emoteID from __typename } text __typename }
          userBadges { id setID version __typename } userColor __typename
        } __typename
      } __typename }
      pageInfo { hasNextPage hasPreviousPage __typename } __typename
    } __typename
  }
}`;

const queries: ReadonlyMap<string, string> = new Map([
  ["ed230aa1e33e07eebb8928504583da78a5173989fadfb1ac94be06a04f3cdbe9", playbackAccessToken],
  ["45111672eea2e507f8ba44d101a61862f9c56b11dee09a15634cb75cb9b9084d", videoMetadata],
  ["71835d5ef425e154bf282453a926d99b328cdc5e32f36d3a209d0f4778b41203", chapters],
  ["07e99e4d56c5a7c67117a154777b0baf85a5ffefa393b213f4bc712ccaf85dd6", seekbarPreview],
  ["b70a3591ff0f4e0313d126c6a1502d79a1c02baebb288227c582044aa76adf6a", comments],
]);

export function persistedQuery(sha256Hash: string): string | null {
  return queries.get(sha256Hash) ?? null;
}
