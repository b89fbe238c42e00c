import * as calls from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import { actorOf, principalOf, route, type Route } from "#service/http/route.ts";
import { deleteChosenFiles, deleteStoredFile } from "./file-deletion.ts";
import { canBeRead, describeFile, findFile, hasPlaylist, type FileRow } from "./file-row.ts";
import { findNeighbours, listMatchingFiles, pageFiles, readFileStats } from "./file-list.ts";
import type { GrantRecord } from "./grant-record.ts";
import type { MediaGrant, MediaGrants } from "./media-grant.ts";
import { CHAT_JSON, CHAT_TEXT, MEDIA_PREFIX, playlistKeyOf } from "./media-server.ts";
import { chatNameOf, downloadNameOf, playlistNameOf } from "./download-name.ts";
import { findLibraryPath } from "#service/library/library-items.ts";
import { lastSegment } from "./last-segment.ts";
import { readProvedParts } from "#service/proof/proved-parts.ts";

/** Container formats that a video element may play, if it supports the codec. */
const PLAYED_BY_BROWSERS: ReadonlySet<string> = new Set([
  "video/mp4",
  "video/webm",
  "video/quicktime",
]);

const MINUTE_MS = 60_000;

/** Session and time of a request for addresses, which determine its grants. */
type AddressRequest = { readonly sessionId: string; readonly atMs: number };

/**
 * All requests of a session within a minute get the same grant, which is recorded once: nobody fills
 * the audit log by asking for addresses.
 */
function grantOf(
  file: FileRow,
  use: MediaGrant["use"],
  { sessionId, atMs }: AddressRequest,
): MediaGrant {
  return { key: file.key, use, sessionId, issuedAtMs: atMs - (atMs % MINUTE_MS) };
}

export function fileRoutes(
  context: ServiceContext,
  grants: MediaGrants,
  recordGrant: GrantRecord,
): Route[] {
  const { platform } = context;
  const { database, clock, objects, library } = platform;

  async function addressOf(
    file: FileRow,
    use: MediaGrant["use"],
    addressRequest: AddressRequest,
    name: string,
  ): Promise<string> {
    const grant = await grants.sign(grantOf(file, use, addressRequest));
    return `${context.settings.PUBLIC_URL}${MEDIA_PREFIX}${grant}/${encodeURIComponent(name.toWellFormed())}`;
  }

  /** False if the store is unavailable, since it may be available when the address is used. */
  async function isGone(file: FileRow): Promise<boolean> {
    try {
      return (await objects.head(file.key)) === null;
    } catch {
      return false;
    }
  }

  async function withAddresses(
    file: FileRow,
    addressRequest: AddressRequest,
  ): Promise<calls.StoredFile> {
    const described = describeFile(file);
    if (!canBeRead(file) || (await isGone(file))) return described;
    const play = (key: calls.ObjectKey) =>
      addressOf(file, "play", addressRequest, lastSegment(key));
    const download = (name: string) => addressOf(file, "download", addressRequest, name);
    const downloadName = downloadNameOf(file);
    const result = { ...described, downloadName, downloadUrl: await download(downloadName) };
    if (file.chatKey !== null)
      result.chat = {
        url: await play(file.chatKey),
        downloadUrl: await download(chatNameOf(file, CHAT_JSON)),
        textDownloadUrl: await download(chatNameOf(file, CHAT_TEXT)),
      };
    if (hasPlaylist(file))
      return {
        ...result,
        playlistUrl: await play(playlistKeyOf(file.key)),
        ...(described.metadata["initSegments"] === undefined
          ? {}
          : { playlistDownloadUrl: await download(playlistNameOf(file)) }),
      };
    if (PLAYED_BY_BROWSERS.has(file.contentType))
      return { ...result, videoUrl: await play(file.key) };
    return result;
  }

  return [
    route(calls.browseFiles, ({ query }) => pageFiles(database, query)),

    route(calls.matchingFiles, ({ query }) => listMatchingFiles(database, query)),

    route(calls.fileStats, () => readFileStats(database)),

    route(calls.getFile, async ({ params, query, context: request }) => {
      const file = await findFile(database, params.key);
      if (file === null) throw new ApiError("not_found", "There is no such file.");
      const addressRequest = { sessionId: principalOf(request).sessionId, atMs: clock.now() };
      const described = await withAddresses(file, addressRequest);
      // Otherwise the media server records the grant when the address is used.
      if (query.download === true && described.downloadUrl !== undefined)
        await recordGrant({
          grant: grantOf(file, "download", addressRequest),
          userId: principalOf(request).userId,
          token: principalOf(request).token,
          requestId: request.requestId,
          address: request.clientAddress,
        });
      const libraryPath =
        library === undefined ? undefined : await findLibraryPath(database, file.key);
      return { ...described, ...(libraryPath === undefined ? {} : { libraryPath }) };
    }),

    route(calls.getFileProof, async ({ params }) => {
      const file = await findFile(database, params.key);
      if (file === null) throw new ApiError("not_found", "There is no such file.");
      const proved = canBeRead(file) ? await readProvedParts(objects, params.key) : null;
      return {
        partSizeBytes: proved?.partSizeBytes ?? 0,
        partSha256: [...(proved?.partSha256 ?? [])],
      };
    }),

    route(calls.neighbouringFiles, async ({ params }) => {
      const file = await findFile(database, params.key);
      if (file === null) throw new ApiError("not_found", "There is no such file.");
      return await findNeighbours(database, file);
    }),

    route(calls.deleteFile, async ({ params, context: request }) => {
      const deleted = await deleteStoredFile(context, params.key, actorOf(request));
      return { key: params.key, ...deleted };
    }),

    route(calls.bulkDeleteFiles, async ({ body, context: request }) => {
      const outcomes = await deleteChosenFiles(context, body.files, actorOf(request));
      let freed = 0;
      const results = [...outcomes].map(([key, outcome]) => {
        if (outcome instanceof ApiError) return { key, ok: false, error: outcome.message };
        if (outcome.refusal !== undefined)
          return { key, ok: false, error: refusedText(outcome.refusal) };
        freed += outcome.size;
        return { key, ok: true };
      });
      const deleted = results.filter(({ ok }) => ok).length;
      return { deleted, failed: results.length - deleted, freed, results };
    }),
  ];
}

function refusedText(refusal: string): string {
  return `It is no longer listed, but the store refuses to delete it, so it still takes up room. ${refusal}.`;
}
