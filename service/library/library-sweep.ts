import { formatBytes } from "#contract/format-bytes.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { JobHandler } from "#service/jobs/job-runner.ts";
import { again, hasten, type Job, keep, later, planOnce, SOLE } from "#service/jobs/jobs.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import {
  type FileMark,
  type LibraryFolder,
  NeedsCopies,
  type Placed,
  type Placing,
} from "#service/ports/library-folder.ts";
import { StoreError } from "#service/ports/object-store.ts";
import { pictureTypeOf } from "#service/source/picture-type.ts";
import { sidecarKeys } from "#service/storage/object-keys.ts";
import { readStored } from "#service/storage/read-stored.ts";
import { readDeployment } from "#service/store/deployment.ts";
import {
  channelKey,
  countVideos,
  type DueVideo,
  findItem,
  type LibraryItem,
  readDueVideos,
  readFolders,
  readPaths,
  readUnwanted,
} from "./library-items.ts";
import {
  channelFolder,
  distinctionOf,
  distinctPath,
  extensionOf,
  foldPath,
  type LibraryChannel,
  pictureEnding,
} from "./library-path.ts";
import { episodeNfo, showNfo } from "./nfo.ts";
import { readPoster } from "./poster.ts";

/*
 * The library folder is a picture of the archive for media servers, never its truth. The one job of the
 * kind makes what it lacks and removes what may not be there any more: files in the trash, deleted ones,
 * and those whose owner has not agreed.
 *
 * A row of `library_items` has the mark of each file before the file gets its name, so that whatever a
 * crash leaves in the folder is known. What the service made and a person removed or edited stays so.
 */

const EVERY_MS = 60_000;
const READ_AT_ONCE = 100;
const SHOW_NFO = "/tvshow.nfo";
const POSTER = "/poster";

/** For the start of a process. */
export function planLibrary({ platform }: Pick<ServiceContext, "platform">): readonly Statement[] {
  if (platform.library === undefined) return [];
  const nowMs = platform.clock.now();
  return [planOnce("library", nowMs), hasten("library", SOLE, nowMs)];
}

export function libraryJob(context: ServiceContext): JobHandler {
  const { platform, log } = context;
  const { library, database, clock } = platform;
  return {
    async run(job, signal) {
      // The setting was removed.
      if (library === undefined) return "done";
      try {
        await createSweep(context, library, job, signal)();
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof StoreError)) throw error;
        log.warn("The library folder could not be brought up to date", { error });
        const message =
          error instanceof NeedsCopies
            ? `${error.message}, and this file system can neither clone nor link them. Copies would need ${formatBytes((await countVideos(database)).due_bytes)} there: set LIBRARY_COPIES=true, or move LIBRARY_DIR to the disk of DATA_DIR`
            : error.message;
        await again(platform, job, { message });
        return undefined;
      }
      await later(platform, job, clock.now() + EVERY_MS);
      return undefined;
    },
  };
}

function createSweep(
  { platform, settings }: ServiceContext,
  library: LibraryFolder,
  job: Job,
  signal: AbortSignal,
): () => Promise<void> {
  const { database, objects, clock } = platform;
  /** Folders of channels that were shown in this sweep. */
  const folders = new Map<string, string>();

  async function sweep(): Promise<void> {
    const { id } = await readDeployment(platform);
    // A disk that goes away in the meantime must not get folders at its mount point.
    const open = async () => {
      signal.throwIfAborted();
      await library.open(id, !(await hasMade(database)));
    };
    await open();
    await each(
      () => readUnwanted(database, READ_AT_ONCE),
      async (item) => {
        await open();
        await remove(item);
      },
    );
    await each(
      () => readDueVideos(database, clock.now(), READ_AT_ONCE),
      async (video) => {
        await open();
        await show(video);
      },
    );
  }

  async function remove({ key, path, made }: LibraryItem): Promise<void> {
    // If it is wanted again after a crash, no person removed what is missing.
    await keep(platform, job, [sql`UPDATE library_items SET made_of = NULL WHERE key = ${key}`]);
    for (const [ending, mark] of Object.entries(made)) await library.remove(path + ending, mark);
    await keep(platform, job, [sql`DELETE FROM library_items WHERE key = ${key}`]);
  }

  async function show(video: DueVideo): Promise<void> {
    const folder = folders.get(video.channel.id) ?? (await showChannel(video));
    folders.set(video.channel.id, folder);
    const item = (await findItem(database, video.key)) ?? (await reserve(video, folder));
    let problem: string | null = null;
    try {
      problem = await makeFiles(video, item);
    } catch (error) {
      // Of this file alone, such as a name that is too long for the folder.
      if (!(error instanceof StoreError) || error.kind !== "invalid") throw error;
      problem = error.message;
    }
    await keep(platform, job, [
      storeMarks(item),
      sql`UPDATE library_items SET made_of = ${video.madeOf}, problem = ${problem},
        tried_at = ${clock.now()} WHERE key = ${video.key}`,
    ]);
  }

  /** The folder of the channel, which stays that of its first video: a new name would lose what was watched. */
  async function showChannel({ channel }: DueVideo): Promise<string> {
    const key = channelKey(channel.id);
    let item = await findItem(database, key);
    if (item === null) {
      const others = new Set((await readFolders(database)).map(foldPath));
      const own = channelFolder(channel, false);
      const path = others.has(foldPath(own)) ? channelFolder(channel, true) : own;
      item = await insert(key, path);
    }
    if (item.made_of === (channel.profileImageUrl ?? "")) return item.path;
    await make(item, SHOW_NFO, (path, mark) => library.write(path, showNfo(channel), mark));
    const madeOf = await showPoster(channel, item);
    await keep(platform, job, [
      storeMarks(item),
      sql`UPDATE library_items SET made_of = ${madeOf} WHERE key = ${key}`,
    ]);
    return item.path;
  }

  /** Resolves with the address of the picture that is there, "" for none. */
  async function showPoster(channel: LibraryChannel, item: LibraryItem): Promise<string> {
    const picture = await readPoster(platform.fetch, settings, channel);
    signal.throwIfAborted();
    // Tried again with the channel's next video.
    if (picture === null && channel.profileImageUrl !== null) return item.made_of ?? "";
    const ending = picture && pictureEnding(POSTER, picture.type);
    for (const [other, mark] of Object.entries(item.made))
      if (other.startsWith(POSTER) && other !== ending) {
        await library.remove(item.path + other, mark);
        delete item.made[other];
      }
    if (picture === null || ending === null) return "";
    await make(item, ending, (path, mark) => library.write(path, picture.bytes, mark));
    return channel.profileImageUrl ?? "";
  }

  async function reserve(video: DueVideo, folder: string): Promise<LibraryItem> {
    const paths = await readPaths(database, video.channel.id);
    return await insert(video.key, `${folder}/${distinctPath(video, paths)}`);
  }

  async function insert(key: string, path: string): Promise<LibraryItem> {
    await keep(platform, job, [
      sql`INSERT INTO library_items (key, path) VALUES (${key}, ${path})`,
    ]);
    return { key, path, made: {}, made_of: null };
  }

  /** Makes a file of the item, with this ending. */
  async function make(
    item: LibraryItem,
    ending: string,
    run: (path: string, mark: FileMark | null) => Promise<Placing>,
  ): Promise<Placed["outcome"]> {
    const path = item.path + ending;
    let placing = await run(path, item.made[ending] ?? null);
    if (placing.outcome === "removed" && item.made_of === null) placing = await run(path, null);
    if (placing.outcome === "ready") {
      item.made[ending] = placing.mark;
      await keep(platform, job, [storeMarks(item)]);
      placing = await placing.name();
    }
    if (placing.outcome !== "taken") item.made[ending] = placing.mark;
    return placing.outcome;
  }

  /** The video last, so that no media server finds it without what belongs to it. */
  async function makeFiles(video: DueVideo, item: LibraryItem): Promise<string | null> {
    const ending = extensionOf(video.key);
    const place = (key: DueVideo["key"], as: string) =>
      make(item, as, (path, mark) => library.place(key, path, mark, signal));
    if (item.made_of !== null && item.made[ending] !== undefined)
      if ((await place(video.key, ending)) === "removed") return null;
    const nfo = episodeNfo(video, distinctionOf(item.path));
    await make(item, ".nfo", (path, mark) => library.write(path, nfo, mark));
    const thumbnail = sidecarKeys(video.key).find((key) => key.endsWith(".thumbnail"));
    if (video.hasThumbnail && thumbnail !== undefined) {
      const start = await readStored(objects, thumbnail, { offset: 0, length: 12 });
      const type = start && pictureTypeOf(start);
      if (type !== null) await place(thumbnail, pictureEnding("-thumb", type));
    }
    if (video.chatKey !== null) await place(video.chatKey, ".chat.json");
    return (await place(video.key, ending)) === "taken"
      ? "Another file of this name is there, which Vodkeep did not make."
      : null;
  }

  return sweep;
}

function storeMarks({ key, made }: LibraryItem): Statement {
  return sql`UPDATE library_items SET made = ${JSON.stringify(made)} WHERE key = ${key}`;
}

/** Whether the service made anything in the folder: then one without its mark is not the folder. */
async function hasMade(database: Database): Promise<boolean> {
  const [row] = await database.all(
    sql`SELECT EXISTS (SELECT 1 FROM library_items WHERE made <> '{}') AS has_made`,
  );
  return row?.["has_made"] === 1;
}

/** Works until a read finds nothing: whatever is done for an item, the next read leaves it out. */
async function each<Item>(
  read: () => Promise<readonly Item[]>,
  run: (item: Item) => Promise<void>,
): Promise<void> {
  for (let items = await read(); items.length > 0; items = await read())
    for (const item of items) await run(item);
}
