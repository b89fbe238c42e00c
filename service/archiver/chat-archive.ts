import type { ObjectKey } from "#contract/files.ts";
import { StoreError } from "#service/ports/object-store.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { ChatComment } from "#service/source/source.ts";
import type { ArchiveRun } from "./archive-run.ts";
import type { ArchiveManifest } from "./archive-manifest.ts";
import { createStreamedObject } from "#service/storage/streamed-object.ts";

/** Leaves enough of the run's maximum duration for the proof. */
const SHARE_OF_RUN = 2 / 3;

/** A comment takes about 600 bytes: three million comments, more than any replay has. */
const MAX_CHAT_BYTES = 2 * 1024 ** 3;

/**
 * Copies the chat replay as JSON in TwitchDownloader's format, so that its renderers can read it.
 * A failure is logged and does not fail the archive. Resolves with whether the chat was stored.
 */
export async function archiveChat(
  run: ArchiveRun,
  manifest: ArchiveManifest,
  key: ObjectKey,
): Promise<boolean> {
  const { context, source, signal } = run;
  if (source.readChat === undefined) return false;
  const { clock, runtime } = context.platform;
  const startedMs = clock.monotonic();
  const object = createStreamedObject(context.platform.objects, key, "application/json");
  try {
    await object.write(header(manifest, clock.now()));
    let isFirst = true;
    let writtenCharacters = 0;
    for await (const page of source.readChat(manifest.source.reference, signal)) {
      signal.throwIfAborted();
      if (clock.monotonic() - startedMs > runtime.longestRunMs * SHARE_OF_RUN)
        throw new SourceError("try_later", "It takes longer than a run is allowed to take.");
      run.progress.touch();
      const lines = page.map((comment) => JSON.stringify(formatComment(comment, manifest)));
      if (lines.length === 0) continue;
      const text = `${isFirst ? "\n" : ",\n"}${lines.join(",\n")}`;
      writtenCharacters += text.length;
      if (writtenCharacters > MAX_CHAT_BYTES)
        throw new SourceError("source_corrupt", "The chat replay is larger than 2 GB.");
      await object.write(text);
      isFirst = false;
    }
    await object.write(`\n],"embeddedData":null}\n`);
    await object.finish();
    return true;
  } catch (error) {
    await object.abandon().catch(() => undefined);
    if (signal.aborted) throw signal.reason;
    if (!(error instanceof SourceError || error instanceof StoreError)) throw error;
    context.log.warn("The chat replay could not be stored; the video is not affected", {
      uploadId: run.lease.uploadId,
      error,
    });
    return false;
  }
}

/** Everything before the comments, which follow one per line. */
function header(manifest: ArchiveManifest, nowMs: number): string {
  const { source } = manifest;
  const createdAt = new Date(nowMs).toISOString();
  const about = {
    FileInfo: {
      Version: { Major: 1, Minor: 4, Patch: 0 },
      CreatedAt: createdAt,
      UpdatedAt: createdAt,
    },
    streamer: {
      name: source.ownerDisplayName,
      login: source.ownerLogin,
      id: Number(source.ownerId),
    },
    video: {
      title: source.title,
      id: source.vodId,
      created_at: source.createdAt,
      start: 0,
      end: source.durationSec,
      length: source.durationSec,
    },
  };
  return `${JSON.stringify(about).slice(0, -1)},"comments":[`;
}

function formatComment(comment: ChatComment, manifest: ArchiveManifest) {
  const { commenter, message } = comment;
  return {
    _id: comment.id,
    created_at: comment.createdAt,
    channel_id: manifest.source.ownerId,
    content_type: "video",
    content_id: manifest.source.vodId,
    content_offset_seconds: comment.offsetSec,
    commenter:
      commenter === null
        ? null
        : { display_name: commenter.displayName, _id: commenter.id, name: commenter.login },
    message: {
      body: message.body,
      bits_spent: 0,
      fragments: message.fragments.map(({ text, emoteId }) => ({
        text,
        emoticon: emoteId === null ? null : { emoticon_id: emoteId },
      })),
      user_badges: message.badges.map(({ setId, version }) => ({ _id: setId, version })),
      user_color: message.color,
    },
  };
}
