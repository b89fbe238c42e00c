import { createHash } from "node:crypto";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { browseFiles, getFile, type StoredFile } from "#contract/files.ts";
import { MAX_BROWSE_PAGE_SIZE } from "#contract/limits.ts";
import { CommandError, EXIT_CODES } from "#program/exit-codes.ts";
import { call, type Connection } from "./call.ts";
import { channelIdOf } from "./channels.ts";
import { readConnection } from "./connection.ts";
import { copyWithProgress } from "./download.ts";
import { planVideos, writeBeside, writePosters } from "./media-layout.ts";
import { openMirrorIndex, type Copy, type MirrorIndex } from "./mirror-index.ts";
import { openProgress, print } from "./output.ts";
import { digestOf, isProved, isRight, readProof } from "./proof.ts";
import { localNameOf, safeName } from "./safe-name.ts";
import { tryEach } from "./try-each.ts";

type Options = {
  readonly json?: boolean;
  readonly channel?: string;
  /** `media`: as media servers want to find them. */
  readonly layout?: "plain" | "media";
};

/** Requests take most of the time of smaller files: several are copied at a time. */
const SMALL_BYTES = 32 << 20;

/** Safe to repeat: copies what is missing. Neither deletes nor replaces a local file. */
export async function mirror(folder: string, options: Options): Promise<void> {
  const connection = await readConnection();
  const { channel } = options;
  const userId = channel === undefined ? undefined : await channelIdOf(connection, channel);
  await mkdir(folder, { recursive: true });
  const index = openMirrorIndex(folder);
  const progress = await openProgress(options);
  try {
    const known = index.all();
    const paths = new Map([...known].map(([key, { path }]) => [key, path]));
    const files = await listStored(connection, userId);
    const videos =
      options.layout === "media" ? await planVideos(connection, files, paths, index) : null;

    async function copyFile(file: StoredFile) {
      const copy = known.get(file.key);
      const found = copy && (await stat(join(folder, copy.path)).catch(() => null));
      const isUnchanged = found?.size === file.size && found.mtimeMs === copy?.modifiedMs;
      if (isUnchanged && copy?.digest) return "present";
      const proof = await readProof(connection, file);
      const digest = isProved(proof) ? digestOf(proof) : null;
      if (copy && found) {
        if (!isUnchanged && !(await isRight(join(folder, copy.path), proof)))
          throw new CommandError(
            EXIT_CODES.mismatch,
            `${join(folder, copy.path)} was changed: it is not the stored file. Move it away to copy it again.`,
          );
        await remember(index, folder, file, { path: copy.path, digest });
        return "present";
      }
      const path =
        paths.get(file.key) ??
        choosePath(index, await call(connection, getFile, { params: { key: file.key } }));
      // Before the copy: two files of one name keep their places.
      index.put(file.key, { path, modifiedMs: 0, digest });
      const result = await copyWithProgress(connection, file, join(folder, path), progress);
      await remember(index, folder, file, { path, digest });
      return result;
    }

    async function copyWithSidecars(file: StoredFile) {
      const result = await copyFile(file);
      const [video, path] = [videos?.get(file.key), paths.get(file.key)];
      if (video !== undefined && path !== undefined)
        await writeBeside(connection, join(folder, path), file, video);
      return result;
    }

    const isSmall = ({ size }: StoredFile) => size <= SMALL_BYTES;
    const { done, failure } = await tryEach(files, copyWithSidecars, undefined, isSmall);
    if (videos !== null) await writePosters(folder, videos, paths);
    progress.end();
    const count = (result: string) => done.filter((each) => each === result).length;
    const counts = {
      copied: count("copied"),
      present: count("present"),
      unproved: count("unproved"),
    };
    print(options, { files: files.length, ...counts }, () => [
      `${files.length} files: ${counts.copied} copied and verified, ${counts.present} there already` +
        (counts.unproved > 0 ? `, ${counts.unproved} copied without digests` : ""),
    ]);
    if (failure !== null) throw failure;
  } finally {
    progress.end();
    index.close();
  }
}

async function remember(
  index: MirrorIndex,
  folder: string,
  file: StoredFile,
  copy: Pick<Copy, "path" | "digest">,
) {
  const { mtimeMs } = await stat(join(folder, copy.path));
  index.put(file.key, { ...copy, modifiedMs: mtimeMs });
}

function choosePath(index: MirrorIndex, file: StoredFile): string {
  const folder = safeName(file.username ?? file.userId ?? "files");
  const name = localNameOf(file);
  const path = `${folder}/${name}`;
  if (!index.isTaken(path, file.key)) return path;
  const mark = createHash("sha256").update(file.key).digest("hex").slice(0, 8);
  return path.replace(/(\.\w+)?$/, (extension) => ` (${mark})${extension}`);
}

/** All complete files, the oldest first, so that new ones do not move the pages. */
export async function listStored(
  connection: Connection,
  userId: string | undefined,
): Promise<StoredFile[]> {
  const files = new Map<string, StoredFile>();
  for (let page = 1; ; page += 1) {
    const found = await call(connection, browseFiles, {
      query: {
        page: String(page),
        limit: String(MAX_BROWSE_PAGE_SIZE),
        status: "complete",
        chunks: "hidden",
        userId,
        sortOrder: "asc",
      },
    });
    for (const file of found.files) files.set(file.key, file);
    if (!found.pagination.hasNext) return [...files.values()];
  }
}
