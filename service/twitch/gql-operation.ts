import type { GqlOperationName } from "./gql-constants.ts";

/**
 * A query to Twitch's web API in its two forms. The inline form needs no hash, which Twitch may
 * retire; the persisted form is the one that Twitch's player sends (docs/twitch.md#web-api).
 */
export type GqlOperation = {
  readonly name: GqlOperationName;
  readonly query: string;
  /** The persisted form's variables where they differ from the inline form's. */
  readonly persistedVariables?: (variables: GqlVariables) => GqlVariables;
  readonly first: GqlForm;
  /** Which of GQL_CLIENT_IDS is tried first; without it, the first one. */
  readonly firstClient?: "last";
};

export type GqlForm = "inline" | "persisted";

export type GqlVariables = Readonly<Record<string, string | number | boolean | null>>;

export const playbackAccessToken: GqlOperation = {
  name: "PlaybackAccessToken",
  query: `query PlaybackAccessToken($vodID: ID!) {
  videoPlaybackAccessToken(id: $vodID, params: {platform: "web", playerBackend: "mediaplayer", playerType: "site"}) {
    value
    signature
  }
}`,
  persistedVariables: ({ vodID = null }) => ({
    isLive: false,
    login: "",
    isVod: true,
    vodID,
    playerType: "site",
    platform: "web",
  }),
  first: "inline",
};

export const videoMetadata: GqlOperation = {
  name: "VideoMetadata",
  query: `query VideoMetadata($videoID: ID!) {
  video(id: $videoID) {
    id
    status
  }
}`,
  persistedVariables: ({ videoID = null }) => ({ channelLogin: "", videoID }),
  first: "inline",
};

export const seekPreviews: GqlOperation = {
  name: "VideoPlayer_VODSeekbarPreviewVideo",
  query: `query VideoPlayer_VODSeekbarPreviewVideo($videoID: ID!) {
  video(id: $videoID) {
    id
    seekPreviewsURL
  }
}`,
  persistedVariables: ({ videoID = null }) => ({ includePrivate: false, videoID }),
  first: "inline",
};

export const videoChapters: GqlOperation = {
  name: "VideoPlayer_ChapterSelectButtonVideo",
  query: `query VideoPlayer_ChapterSelectButtonVideo($videoID: ID!) {
  video(id: $videoID) {
    id
    moments(momentRequestType: VIDEO_CHAPTER_MARKERS) {
      edges {
        node { positionMilliseconds type description }
      }
    }
  }
}`,
  persistedVariables: ({ videoID = null }) => ({ includePrivate: false, videoID }),
  first: "inline",
};

/**
 * The persisted form and the mobile site's id are first, because all known clients use them, and
 * cursors do not work with the web player's id (docs/twitch.md#chat-replay).
 */
export const videoComments: GqlOperation = {
  name: "VideoCommentsByOffsetOrCursor",
  query: `query VideoCommentsByOffsetOrCursor($videoID: ID!, $contentOffsetSeconds: Int, $cursor: Cursor) {
  video(id: $videoID) {
    id
    comments(contentOffsetSeconds: $contentOffsetSeconds, after: $cursor) {
      edges {
        cursor
        node {
          id
          commenter { id login displayName }
          contentOffsetSeconds
          createdAt
          message {
            fragments { text emote { id emoteID from } }
            userBadges { id setID version }
            userColor
          }
        }
      }
      pageInfo { hasNextPage hasPreviousPage }
    }
  }
}`,
  first: "persisted",
  firstClient: "last",
};
