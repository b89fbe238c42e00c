/**
 * A query to Twitch's web API in its two forms. The inline form needs no hash, which Twitch may
 * retire; the persisted form is the one that Twitch's player sends. Hashes as of mid-2026
 * (docs/twitch.md#web-api).
 */
export type GqlOperation = {
  readonly name: string;
  readonly query: string;
  readonly sha256Hash: string;
  /** The persisted form's variables where they differ from the inline form's. */
  readonly persistedVariables?: (variables: GqlVariables) => GqlVariables;
  readonly first: "inline" | "persisted";
};

export type GqlVariables = Readonly<Record<string, string | number | boolean | null>>;

export const playbackAccessToken: GqlOperation = {
  name: "PlaybackAccessToken",
  query: `query PlaybackAccessToken($vodID: ID!) {
  videoPlaybackAccessToken(id: $vodID, params: {platform: "web", playerBackend: "mediaplayer", playerType: "site"}) {
    value
    signature
  }
}`,
  sha256Hash: "ed230aa1e33e07eebb8928504583da78a5173989fadfb1ac94be06a04f3cdbe9",
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
  sha256Hash: "45111672eea2e507f8ba44d101a61862f9c56b11dee09a15634cb75cb9b9084d",
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
  sha256Hash: "07e99e4d56c5a7c67117a154777b0baf85a5ffefa393b213f4bc712ccaf85dd6",
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
  sha256Hash: "71835d5ef425e154bf282453a926d99b328cdc5e32f36d3a209d0f4778b41203",
  persistedVariables: ({ videoID = null }) => ({ includePrivate: false, videoID }),
  first: "inline",
};

/** The persisted form is first, because all known clients use it (docs/twitch.md#chat-replay). */
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
  sha256Hash: "b70a3591ff0f4e0313d126c6a1502d79a1c02baebb288227c582044aa76adf6a",
  first: "persisted",
};
