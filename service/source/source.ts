import * as z from "zod/mini";
import type { Chapter } from "#contract/files.ts";
import type { Storyboard } from "#contract/pictures.ts";
import type { ReceivedResponse } from "#service/ports/receive.ts";
import type { WithheldRendition } from "#contract/quality.ts";
import type { Broadcasting } from "./broadcast-end.ts";
import type { Testimony } from "./existence.ts";
import type { Picture } from "./fetch-picture.ts";
import type { MediaPlaylist } from "./media-playlist.ts";

/** Who published the item, as the source knows them. */
export type SourceOwner = {
  readonly id: string;
  readonly login: string;
  readonly displayName: string;
  readonly profileImageUrl: string | null;
};

/** An item as a person named it. */
export type SourceReference = {
  /** The item's id, known before the source is asked. */
  readonly itemId: string;
  /** The text by which the source finds the item again: a VOD's number, or an address. */
  readonly reference: string;
};

/** One video of a source, as it is now. */
export type SourceItem = {
  /** Unique within the source; becomes part of object keys. */
  readonly id: string;
  /** Null when the source has no accounts; the archiving administrator then owns the item. */
  readonly owner: SourceOwner | null;
  readonly title: string;
  /** File name without its extension. */
  readonly fileStem: string;
  readonly createdAt: Date;
  /** Null when the source does not state it. */
  readonly durationSec: number | null;
  readonly thumbnailUrl: string | null;
  /** True while the item is being broadcast and its content grows. */
  readonly isRecording: boolean;
  /** The broadcast that the item records, as {@link Source.readEnd} finds it again; null if none. */
  readonly broadcastId: string | null;
};

/** What a source has to know of an item to find its broadcast. */
export type BroadcastItem = {
  readonly reference: string;
  readonly ownerId: string;
  /** If it is not known, every broadcast of the owner counts as this one. */
  readonly broadcastId: string | null | undefined;
};

export type EndReport = {
  /** What each interface but the playlist says. */
  readonly witnesses: readonly Broadcasting[];
  /** Null while no interface states it. */
  readonly durationSec: number | null;
  /** What all interfaces together say about whether the item exists. */
  readonly existence: Testimony;
};

/** One form in which a source offers an item. */
export type Rendition = {
  /** The same at each reading of the item, e.g. "chunked" or "1080p60" at Twitch. */
  readonly name: string;
  readonly playlistUrl: string;
  readonly bandwidthBitsPerSec: number;
  readonly codecs: string | null;
  readonly resolution: string | null;
  readonly framesPerSec: number | null;
  /** Exact, where the source states it. */
  readonly sizeBytes?: number;
};

/** A rendition beside others of the same item. */
export type Variant = Rendition & {
  /** Twitch marks this as what the streamer sent; audio-only renditions may be marked too. */
  readonly isMarkedSource: boolean;
  readonly isPortrait: boolean;
};

/** A rendition that the source only mentions. */
export type Withheld = WithheldRendition & {
  /** Null when the source does not state it. */
  readonly resolution: string | null;
  readonly framesPerSec: number | null;
};

export const FILE_CONTAINERS = ["mp4", "mov", "webm", "mkv"] as const;
export type FileContainer = (typeof FILE_CONTAINERS)[number];

/** What tells one version of a file from another (RFC 9110 section 8.8). */
export const fileVersionSchema = z.object({
  sizeBytes: z.number(),
  etag: z.nullable(z.string()),
  lastModified: z.nullable(z.string()),
});
export type FileVersion = z.infer<typeof fileVersionSchema>;

/** Segments in the order of their bytes: those of a playlist, or the ranges of one file. */
export type SourceContent = MediaPlaylist & {
  /** Present for a file; its segments then have no durations. */
  readonly file?: { readonly container: FileContainer; readonly version: FileVersion };
};

/** What a source lets this service play, and what not. */
export type Playback = {
  /** In no particular order; the one to archive is chosen by `chooseRendition`. */
  readonly renditions: readonly Variant[];
  readonly withheld: readonly Withheld[];
};

export type ChatComment = {
  readonly id: string;
  readonly offsetSec: number;
  readonly createdAt: string;
  readonly commenter: { id: string; login: string; displayName: string } | null;
  readonly message: {
    readonly body: string;
    readonly color: string | null;
    readonly fragments: readonly { text: string; emoteId: string | null }[];
    readonly badges: readonly { setId: string; version: string }[];
  };
};

/** The comments that follow, each once. */
export type ChatPage = {
  readonly comments: readonly ChatComment[];
  /** Seconds before the last comment of which the source does not hand out all comments. */
  readonly shortSeconds: readonly number[];
};

/** Where to begin: at a time, without the comments from there on that are known already. */
export type ChatStart = { readonly sec: number; readonly knownIds: readonly string[] };

export type SourcePictures = {
  readonly thumbnail: Picture | null;
  readonly storyboard: SourceStoryboard | null;
};

/** Small frames of the item, drawn on sheets as {@link Storyboard} describes. */
export type SourceStoryboard = Omit<Storyboard, "sheets"> & { readonly sheets: readonly Picture[] };

/**
 * The operations a source must offer. Unless said otherwise, every method throws `SourceError`,
 * whose class decides whether the archive waits or fails, and rejects with the signal's reason when
 * `signal` aborts.
 */
export type Source = {
  /** How messages name the source, e.g. "Twitch". */
  readonly name: string;
  /**
   * Reads what a person entered, without asking the source.
   * @throws {ApiError} `invalid_request` with a sentence that says what to enter instead
   */
  identify(text: string): Promise<SourceReference>;
  describe(reference: string, signal?: AbortSignal): Promise<SourceItem>;
  open(reference: string, signal?: AbortSignal): Promise<Playback>;
  /**
   * Asks whether a broadcast has ended, also when the item is hidden. Interfaces that do not answer
   * are reported as such. Absent where items never grow.
   */
  readEnd?(item: BroadcastItem, signal?: AbortSignal): Promise<EndReport>;
  /** The content of a rendition, in the order of its bytes. @throws {OutdatedAddress} */
  list(rendition: Rendition, signal?: AbortSignal): Promise<SourceContent>;
  /**
   * Fetches media from the source's allowed hosts only (media-fetch.ts). Resolves with any status;
   * rejects with `SourceError` for a forbidden address or a broken connection.
   */
  fetch(
    url: string,
    init?: { signal?: AbortSignal; headers?: Record<string, string> },
  ): Promise<ReceivedResponse>;
  /** Pages of chat in order. Absent without a chat. */
  readChat?(reference: string, from: ChatStart, signal?: AbortSignal): AsyncIterable<ChatPage>;
  /**
   * The item's pictures, of a few megabytes at most. A picture that cannot be read is null, like one
   * that does not exist. Absent where items have no pictures.
   */
  readPictures?(reference: string, signal?: AbortSignal): Promise<SourcePictures>;
  /** The item's chapters, in order. Absent where items have none. */
  readChapters?(reference: string, signal?: AbortSignal): Promise<readonly Chapter[]>;
  readonly owners?: SourceOwners;
};

/** What a source knows of its owners beyond `describe`, for a person who starts an archive. */
export type SourceOwners = {
  /** Null when the source does not know the owner. */
  find(ownerId: string, signal?: AbortSignal): Promise<SourceOwner | null>;
  /** What the owner streams now; null when there is none. */
  category(ownerId: string, signal?: AbortSignal): Promise<string | null>;
};

/** Every source by the kind that an upload's row names. */
export type Sources = Readonly<Record<string, Source>>;
