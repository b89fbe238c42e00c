import * as calls from "#contract/files.ts";
import { auditEntry } from "#service/audit/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { Failure } from "#service/failure.ts";
import { principalOf, route, type Principal, type Route } from "#service/http/route.ts";
import { deleteStoredFile } from "./file-deletion.ts";
import { canBeRead, describeFile, nameOf, type FileRow } from "./file-row.ts";
import { browse, readFileStats } from "./file-list.ts";
import { findFile } from "./file-store.ts";
import {
  DOWNLOAD_GRANT_MS,
  PLAY_GRANT_MS,
  type MediaGrant,
  type MediaGrants,
} from "./media-grant.ts";
import { MEDIA_PREFIX, playlistKeyOf } from "./media-server.ts";

export function fileRoutes(context: ServiceContext, grants: MediaGrants): Route[] {
  const { database, clock } = context.platform;

  async function addressOf(
    file: FileRow,
    use: MediaGrant["use"],
    principal: Principal,
    lifeMs: number,
    name: string,
  ): Promise<string> {
    const grant = await grants.sign({
      key: file.object_key,
      use,
      sessionId: principal.sessionId,
      expiresAtMs: clock.now() + lifeMs,
    });
    return `${context.settings.PUBLIC_URL}${MEDIA_PREFIX}${grant}/${encodeURIComponent(name.toWellFormed())}`;
  }

  async function withAddresses(file: FileRow, principal: Principal): Promise<calls.StoredFile> {
    const described = describeFile(file);
    if (!canBeRead(file)) return described;
    const downloadUrl = await addressOf(
      file,
      "download",
      principal,
      DOWNLOAD_GRANT_MS,
      nameOf(file).replaceAll("/", "_"),
    );
    if (file.upload_type !== "twitch") return { ...described, downloadUrl };
    const playlistKey = playlistKeyOf(file.object_key);
    const playlistName = playlistKey.slice(playlistKey.lastIndexOf("/") + 1);
    return {
      ...described,
      downloadUrl,
      playlistUrl: await addressOf(file, "play", principal, PLAY_GRANT_MS, playlistName),
    };
  }

  return [
    route(calls.browseFiles, ({ query }) => browse(database, query)),

    route(calls.fileStats, () => readFileStats(database)),

    route(calls.getFile, async ({ params, query, context: request }) => {
      const file = await findFile(database, params.key);
      if (file === null) throw new Failure("not_found", "There is no such file.");
      const principal = principalOf(request);
      const described = await withAddresses(file, principal);
      if (query.download === true && described.downloadUrl !== undefined)
        await database.run(
          auditEntry({
            at: clock.now(),
            actorId: principal.userId,
            action: "file.download",
            target: file.object_key,
            result: "done",
            requestId: request.requestId,
          }),
        );
      return described;
    }),

    route(calls.deleteFile, async ({ params, context: request }) => {
      const { size } = await deleteStoredFile(context, params.key, {
        actorId: principalOf(request).userId,
        requestId: request.requestId,
      });
      return { key: params.key, size };
    }),
  ];
}
