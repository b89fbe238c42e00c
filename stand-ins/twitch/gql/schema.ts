import { buildSchema } from "graphql";

/**
 * The part of Twitch's schema that the clients here query (docs/twitch.md#web-api). Unknown
 * fields are refused as Twitch's server does; Video has no `expiresAt` there either.
 */
export const schema = buildSchema(/* GraphQL */ `
  scalar Cursor
  scalar Time

  type Query {
    currentUser: User
    user(id: ID, login: String): User
    video(id: ID): Video
    videoPlaybackAccessToken(id: ID!, params: PlaybackAccessTokenParams!): PlaybackAccessToken
    "The stand-in does not support live playback."
    streamPlaybackAccessToken(
      channelName: String!
      params: PlaybackAccessTokenParams!
    ): PlaybackAccessToken
  }

  input PlaybackAccessTokenParams {
    platform: String!
    playerBackend: String
    playerType: String!
  }

  type PlaybackAccessToken {
    value: String!
    signature: String!
    authorization: PlaybackAccessTokenAuthorization!
  }

  type PlaybackAccessTokenAuthorization {
    isForbidden: Boolean!
    forbiddenReasonCode: String!
  }

  type User {
    id: ID!
    login: String!
    displayName: String!
    channel: Channel
    primaryColorHex: String
    isPartner: Boolean
    profileImageURL(width: Int): String
  }

  type Channel {
    id: ID!
  }

  type Game {
    id: ID!
    name: String!
    displayName: String!
    boxArtURL(width: Int, height: Int): String
  }

  type Video {
    id: ID!
    title: String
    description: String
    createdAt: Time
    publishedAt: Time
    lengthSeconds: Int
    viewCount: Int
    broadcastType: String
    status: String
    owner: User
    creator: User
    game: Game
    previewThumbnailURL(width: Int, height: Int): String
    seekPreviewsURL: String
    moments(momentRequestType: VideoMomentRequestType): VideoMomentConnection
    comments(contentOffsetSeconds: Int, after: Cursor): VideoCommentConnection
  }

  enum VideoMomentRequestType {
    VIDEO_CHAPTER_MARKERS
  }

  type VideoMomentConnection {
    edges: [VideoMomentEdge!]!
  }

  type VideoMomentEdge {
    cursor: Cursor
    node: VideoMoment
  }

  type VideoMoment {
    id: ID!
    durationMilliseconds: Int!
    positionMilliseconds: Int!
    type: String!
    description: String!
    subDescription: String!
    thumbnailURL: String!
    details: GameChangeMomentDetails
    video: Video
    moments: VideoMomentConnection
  }

  type GameChangeMomentDetails {
    game: Game
  }

  type VideoCommentConnection {
    edges: [VideoCommentEdge!]!
    pageInfo: PageInfo!
  }

  type PageInfo {
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
  }

  type VideoCommentEdge {
    cursor: Cursor
    node: VideoComment
  }

  type VideoComment {
    id: ID!
    commenter: User
    contentOffsetSeconds: Int!
    createdAt: Time!
    message: VideoCommentMessage!
  }

  type VideoCommentMessage {
    fragments: [VideoCommentMessageFragment!]!
    userBadges: [Badge!]!
    userColor: String
  }

  type VideoCommentMessageFragment {
    text: String!
    emote: EmbeddedEmote
  }

  type EmbeddedEmote {
    id: ID!
    emoteID: ID!
    from: Int!
  }

  type Badge {
    id: ID!
    setID: ID!
    version: String!
  }
`);
