import { sidecarKeys } from "#service/storage/object-keys.ts";
import { createRightsWatch } from "#service/auth/rights-watch.ts";
import { ABSOLUTE_LIFE_MS, isLiveSession } from "#service/auth/session-validity.ts";
import { findAccess, type Access } from "#service/auth/access.ts";
import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import { attachmentHeader } from "#service/http/content-disposition.ts";
import type { ObjectKey } from "#contract/files.ts";
import type { ObjectHead } from "#service/ports/object-store.ts";
import { chatText } from "./chat-text.ts";
import { readRange } from "./byte-range.ts";
import { chatNameOf, downloadNameOf, playlistNameOf } from "./download-name.ts";
import { canBeRead, findFile, hasPlaylist, type FileRow } from "./file-row.ts";
import { lastSegment } from "./last-segment.ts";
import { markIfDamaged } from "#service/proof/missing-files.ts";
import type { GrantRecord } from "./grant-record.ts";
import type { MediaGrant, MediaGrants } from "./media-grant.ts";

export const MEDIA_PREFIX = "/media/";
export const MEDIA_PATH = `${MEDIA_PREFIX}{path+}`;

/** Endings of the names under which a file's grants serve its chat replay. */
export const CHAT_JSON = ".chat.json";
export const CHAT_TEXT = ".chat.txt";

/** Types a browser may act on; anything else is plain bytes (docs/security.md#stored-files). */
const SERVED_TYPES: ReadonlySet<string> = new Set([
  "video/mp2t",
  "video/mp4",
  "video/webm",
  "video/quicktime",
  "video/x-matroska",
]);

type Served = {
  readonly key: ObjectKey;
  /** The size that was proved; null for other objects, and for what is known to be incomplete. */
  readonly provedBytes: number | null;
  readonly contentType: string;
  /** The name of the attachment; null for a player. */
  readonly attachment: string | null;
};

type Sender = { readonly requestId: string; readonly clientAddress: string };

/**
 * Serves stored bytes to anyone with a grant: `/media/<grant>/<name>`. The grants end with their
 * session, and the responses can neither run as scripts nor be framed.
 */
export function createMediaServer(
  context: ServiceContext,
  grants: MediaGrants,
  recordGrant: GrantRecord,
): (request: Request, sender: Sender) => Promise<Response> {
  const { platform } = context;
  const { database, objects, clock, breakable } = platform;
  const watch = createRightsWatch(context);

  async function requireGrant(text: string): Promise<{ grant: MediaGrant; reader: Access }> {
    const grant = await grants.open(text);
    const [session] = grant === null ? [] : await findAccess(database, [grant.sessionId]);
    if (
      grant === null ||
      session === undefined ||
      !isLiveSession(session, clock.now()) ||
      clock.now() >= endOf(grant, session) ||
      !session.permissions.includes("read:uploads")
    )
      throw new ApiError("not_found", "This link has expired. Please ask for a new one.");
    return { grant, reader: { ...session, expires_at: endOf(grant, session) } };
  }

  async function serve(request: Request, sender: Sender): Promise<Response> {
    const [grantText = "", name = "", ...rest] = new URL(request.url).pathname
      .slice(MEDIA_PREFIX.length)
      .split("/");
    const { grant, reader } = await requireGrant(grantText);
    const file = await findFile(database, grant.key);
    if (file === null || !canBeRead(file) || name === "" || rest.length > 0) throw gone();
    await recordGrant({
      grant,
      userId: reader.user_id,
      token: reader.token,
      requestId: sender.requestId,
      address: sender.clientAddress,
    });
    if (grant.use === "play" && name.endsWith(".m3u8")) return await servePlaylist(grant.key);
    if (grant.use === "download" && hasPlaylist(file) && name.endsWith(".m3u8"))
      return await downloadPlaylist(file);
    const isDownload = grant.use === "download";
    if (file.chatKey !== null && isDownload && name.endsWith(CHAT_TEXT))
      return await downloadChatText(file, file.chatKey, reader);
    if (file.chatKey !== null && name.endsWith(CHAT_JSON))
      return await serveObject(request, reader, {
        key: file.chatKey,
        provedBytes: null,
        contentType: "application/json",
        attachment: isDownload ? chatNameOf(file, CHAT_JSON) : null,
      });
    if (!isDownload && name !== lastSegment(grant.key)) throw gone();
    const { contentType: type } = file;
    return await serveObject(request, reader, {
      key: file.key,
      provedBytes: file.status === "complete" ? file.size : null,
      contentType: SERVED_TYPES.has(type) ? type : "application/octet-stream",
      attachment: isDownload ? downloadNameOf(file) : null,
    });
  }

  /** The playlist refers to its object by a relative URL, so that one grant serves both. */
  async function servePlaylist(objectKey: ObjectKey): Promise<Response> {
    const found = await objects.get(playlistKeyOf(objectKey));
    if (found === null) throw gone();
    return new Response(found.body, {
      headers: { "content-type": "application/vnd.apple.mpegurl" },
    });
  }

  /** A playlist to save beside the downloaded file; it refers to that file's name. */
  async function downloadPlaylist(file: FileRow): Promise<Response> {
    const found = await objects.get(playlistKeyOf(file.key));
    if (found === null) throw gone();
    const text = await new Response(found.body).text();
    const name = encodeURIComponent(downloadNameOf(file));
    const named = text.replaceAll(lastSegment(file.key), name);
    return new Response(named, {
      headers: {
        "content-type": "application/vnd.apple.mpegurl",
        "content-disposition": attachmentHeader(playlistNameOf(file)),
      },
    });
  }

  async function downloadChatText(
    file: FileRow,
    chatKey: ObjectKey,
    reader: Access,
  ): Promise<Response> {
    const found = await objects.get(chatKey);
    if (found === null) throw gone();
    return new Response(chatText(watched(found.body, found.head.sizeBytes, reader)), {
      headers: {
        "content-type": "text/plain; charset=utf-8",
        "content-disposition": attachmentHeader(chatNameOf(file, CHAT_TEXT)),
      },
    });
  }

  async function serveObject(request: Request, reader: Access, served: Served): Promise<Response> {
    const head = await objects.head(served.key);
    if (head === null) throw gone();
    if (head.sizeBytes !== (served.provedBytes ?? head.sizeBytes)) {
      await markIfDamaged(context, served.key);
      throw new ApiError(
        "conflict",
        "The stored file is damaged. Ask again for what is left of it.",
      );
    }
    const headers = objectHeaders(served, head);
    if (isKnown(request, head)) return new Response(null, { status: 304, headers });
    const requested = isRangeFresh(request, head)
      ? readRange(request.headers.get("range"), head.sizeBytes)
      : { kind: "whole" as const };
    if (requested.kind === "unsatisfiable") {
      headers.set("content-range", `bytes */${head.sizeBytes}`);
      return new Response(null, { status: 416, headers });
    }
    const range = requested.kind === "part" ? requested.range : undefined;
    if (range !== undefined)
      headers.set(
        "content-range",
        `bytes ${range.offset}-${range.offset + range.length - 1}/${head.sizeBytes}`,
      );
    const sizeBytes = range?.length ?? head.sizeBytes;
    headers.set("content-length", String(sizeBytes));
    const status = range === undefined ? 200 : 206;
    if (request.method === "HEAD") return new Response(null, { status, headers });
    const found = await objects.get(served.key, range);
    if (found === null) throw gone();
    if (found.head.tag !== head.tag) {
      await found.body.cancel();
      throw gone();
    }
    return new Response(watched(found.body, sizeBytes, reader), { status, headers });
  }

  /** A body that breaks off when its reader may no longer read it. */
  function watched(
    source: ReadableStream<Uint8Array>,
    sizeBytes: number,
    reader: Access,
  ): ReadableStream<Uint8Array> {
    const breaking = new AbortController();
    const { body, ended } = breakable(source, sizeBytes, breaking.signal);
    void watch({
      sessionId: reader.id,
      userId: reader.user_id,
      permission: "read:uploads",
      ended,
      breakOff: (reason) => breaking.abort(reason),
    });
    return body;
  }

  return async (request, sender) => {
    const response = await serve(request, sender);
    // A body that nobody reads would keep its object open.
    if (request.method === "HEAD") await response.body?.cancel();
    return response;
  };
}

/** The link of a token ends no later than a session would: the token may live for years. */
function endOf({ issuedAtMs }: MediaGrant, { token, expires_at: endAtMs }: Access): number {
  return token === null ? endAtMs : Math.min(endAtMs, issuedAtMs + ABSOLUTE_LIFE_MS);
}

export function playlistKeyOf(objectKey: ObjectKey): ObjectKey {
  const [playlist] = sidecarKeys(objectKey);
  if (playlist === undefined) throw new Error("An archive has a playlist beside it");
  return playlist;
}

function objectHeaders({ contentType, attachment }: Served, head: ObjectHead): Headers {
  return new Headers({
    "content-type": contentType,
    "accept-ranges": "bytes",
    etag: `"${head.tag}"`,
    "last-modified": head.lastModifiedAt.toUTCString(),
    ...(attachment === null ? {} : { "content-disposition": attachmentHeader(attachment) }),
  });
}

/** RFC 9110, If-None-Match: a list of weak or strong tags, or `*` for any version. */
function isKnown(request: Request, head: ObjectHead): boolean {
  const known = request.headers.get("if-none-match")?.split(",") ?? [];
  return known
    .map((tag) => tag.trim().replace(/^W\//, ""))
    .some((tag) => tag === "*" || tag === `"${head.tag}"`);
}

/** A range is only served if the object is still the client's version (RFC 9110, If-Range). */
function isRangeFresh(request: Request, head: ObjectHead): boolean {
  const condition = request.headers.get("if-range");
  return (
    condition === null ||
    condition === `"${head.tag}"` ||
    condition === head.lastModifiedAt.toUTCString()
  );
}

function gone(): ApiError {
  return new ApiError("not_found", "This file is not there any more.");
}
