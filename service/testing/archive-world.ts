import { host } from "#host-under-test";
import type { Quality } from "#contract/quality.ts";
import type { Upload, UploadKind } from "#contract/upload.ts";
import { createArchiver, type Archiver } from "#service/archiver/archiver.ts";
import { objectKeySchema } from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { createJobHandlers } from "#service/job-handlers.ts";
import type { JobKind } from "#service/jobs/job-kinds.ts";
import { runDue } from "#service/jobs/job-runner.ts";
import type { Platform } from "#service/platform.ts";
import { readSettings } from "#service/settings.ts";
import { createLogger } from "#service/logger.ts";
import { createDirectSource } from "#service/direct-url/direct-source.ts";
import type { ChannelSender } from "#service/notifications/channel.ts";
import { addChat } from "#service/storage/chat-record.ts";
import { createAppToken } from "#service/twitch/app-token.ts";
import { createTwitchApi } from "#service/twitch/twitch-api.ts";
import { createTwitchSource } from "#service/twitch/twitch-source.ts";
import { readUpload, selectUpload } from "#service/storage/upload-row.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { Settings } from "#service/settings.ts";
import type { CustomVod } from "#stand-ins/twitch/catalog/custom-vod.ts";
import type { NewFault } from "#stand-ins/twitch/faults/fault.ts";
import type { Consumer, PlatformUnderTest } from "./host-under-test.ts";
import { createSwiftClock } from "./swift-clock.ts";
import { TEST_SETTINGS } from "./test-settings.ts";
import { startTwitchUnderTest, type TwitchUnderTest } from "./twitch-under-test.ts";

export type ArchiveWorld = Awaited<ReturnType<typeof createArchiveWorld>>;

export type ArchiveWorldOptions = {
  readonly settings?: Readonly<Record<string, string>>;
  readonly changePlatform?: (platform: Platform) => Platform;
  /** How much faster than real time the service's clock runs. */
  readonly clockFactor?: number;
};

/** The Twitch stand-in, the host's own database and store, and an archiver with short waits. */
export async function openArchiveWorld(options: ArchiveWorldOptions = {}) {
  const clock = createSwiftClock(options.clockFactor ?? 50);
  const twitch = await startTwitchUnderTest({}, clock);
  const openPlatform = (settings: Settings) => host.openPlatform(settings, clock);
  return await createArchiveWorld({ clock, twitch, openPlatform }, options);
}

export async function createArchiveWorld(
  {
    clock,
    twitch,
    openPlatform,
  }: {
    readonly clock: Clock;
    readonly twitch: TwitchUnderTest;
    readonly openPlatform: (settings: Settings) => Promise<PlatformUnderTest>;
  },
  options: Omit<ArchiveWorldOptions, "clockFactor"> = {},
) {
  const settings = readSettings({ ...twitch.settings, ...TEST_SETTINGS, ...options.settings });
  const opened = await openPlatform(settings);
  const { database, objects, logs, digests } = opened.platform;
  const platform = (options.changePlatform ?? ((same) => same))(opened.platform);
  const context: ServiceContext = {
    platform,
    settings,
    log: createLogger(clock, logs),
  };
  const source = createTwitchSource(context);
  const archiver = createArchiver(context, { twitch: source, url: createDirectSource(context) });
  /** Whoever is told something accepts it. */
  const jobNeeds = {
    sources: { twitch: source },
    backgroundTwitchApi: createTwitchApi(context, createAppToken(context)),
    messaging: { telegram: acceptingSender("telegram"), email: acceptingSender("email") },
    webhooks: { send: async () => ACCEPTED },
  };
  const chats = newChats((same) => same);
  let uploads = 0;

  /** Reads one slice of each of three due chats, as this or another process. */
  function newChats(change: (platform: Platform) => Platform): { sweep(): Promise<void> } {
    const changed = { ...context, platform: change(platform) };
    const needs = { ...jobNeeds, sources: { twitch: createTwitchSource(changed) } };
    const { chat } = createJobHandlers(changed, needs);
    return { sweep: () => runDue(changed, "chat", chat, 3) };
  }

  /** A pending upload of a VOD of the stand-in. */
  async function addUpload(vodId: string, quality: Quality = "best"): Promise<string> {
    const vods = await twitch.control.vods();
    const ownerId = vods.find((vod) => vod.id === vodId)?.ownerId ?? "1005";
    return insertUpload("twitch", vodId, null, ownerId, quality);
  }
  async function insertUpload(
    kind: UploadKind,
    itemId: string,
    url: string | null,
    ownerId: string,
    quality: Quality = "best",
  ): Promise<string> {
    uploads += 1;
    const id = `upload-${uploads}`;
    const nowMs = clock.now();
    await database.batch([
      sql`INSERT OR IGNORE INTO users (id, login, display_name, created_at)
        VALUES (${ownerId}, 'owner', 'Owner', ${nowMs})`,
      sql`INSERT INTO uploads (id, kind, vod_id, source_url, filename, owner_id, rights, status,
          quality, max_retries, created_at, updated_at)
        VALUES (${id}, ${kind}, ${itemId}, ${url}, 'planned', ${ownerId},
          'administrator_confirmed', 'pending', ${quality}, 3, ${nowMs}, ${nowMs})`,
      ...(kind === "twitch" ? addChat(id, true, nowMs) : []),
    ]);
    return id;
  }
  /** Runners may have been killed, which keeps their leases. */
  let isSpoiled = options.changePlatform !== undefined;

  async function upload(uploadId: string): Promise<Upload> {
    const [row] = await database.all(sql`${selectUpload(clock.now())} WHERE u.id = ${uploadId}`);
    if (row === undefined) throw new Error(`There is no upload ${uploadId}`);
    return readUpload(row);
  }

  async function storedBytes(key: string): Promise<Uint8Array> {
    const found = await objects.get(objectKeySchema.parse(key));
    if (found === null) throw new Error(`Nothing is stored under ${key}`);
    return new Uint8Array(await new Response(found.body).arrayBuffer());
  }

  async function storedDigest(key: string): Promise<{ sizeBytes: number; sha256: string }> {
    const bytes = await storedBytes(key);
    return { sizeBytes: bytes.byteLength, sha256: await digests.sha256(bytes) };
  }

  return {
    /** On Node, DATA_DIR; the objects are in its folder `objects`. */
    folder: opened.folder,
    twitch,
    context,
    source,
    archiver,
    chats,
    jobNeeds,
    /** Runs jobs of a kind that are due now or later, as this or another process. */
    async runJobs(
      kind: JobKind,
      change: (platform: Platform) => Platform = (same) => same,
    ): Promise<void> {
      await database.run(sql`UPDATE jobs SET due_at = 0 WHERE kind = ${kind}`);
      const changed = { ...context, platform: change(platform) };
      await runDue(changed, kind, createJobHandlers(changed, jobNeeds)[kind], 100);
    },
    newChats,
    /** Reads an upload's chat, without the waits it requests, until it has ended. */
    async readChatToEnd(uploadId: string, by = chats): Promise<Upload> {
      for (;;) {
        await database.run(sql`
          UPDATE jobs SET due_at = 0 WHERE kind = 'chat' AND key = ${uploadId}`);
        await by.sweep();
        const current = await upload(uploadId);
        if (current.chat.state !== "reading") return current;
      }
    },
    /** Another archiver on the same database and store, as on another host. */
    newArchiver(change?: (platform: Platform) => Platform): Archiver {
      isSpoiled ||= change !== undefined;
      const changed = { ...context, platform: change?.(platform) ?? platform };
      return createArchiver(changed, { twitch: createTwitchSource(changed) });
    },
    /** A new VOD, of which one segment or each is sent with a fault, and a pending upload of it. */
    async addVod(
      custom: CustomVod = {},
      broken?: Omit<NewFault, "match"> & { readonly segment?: number },
    ) {
      const { id: vodId } = await twitch.control.addVod(custom);
      if (broken !== undefined) {
        const { segment: segmentIndex, ...fault } = broken;
        const which = segmentIndex === undefined ? {} : { segmentIndex };
        await twitch.control.addFault({ ...fault, match: { kind: "segment", vodId, ...which } });
      }
      const uploadId = await addUpload(vodId);
      if (custom.growing !== undefined)
        await database.run(sql`UPDATE chats SET has_ended = 0 WHERE upload_id = ${uploadId}`);
      return { vodId, uploadId };
    },
    addUpload,
    /** A pending upload of a direct URL. */
    async addDirectUpload(url: string): Promise<string> {
      const { itemId, reference } = await createDirectSource(context).identify(url);
      return insertUpload("url", itemId, reference, "1005");
    },
    upload,
    /** Runs an upload, with the waits it requests, until it has ended. */
    async archiveToEnd(uploadId: string, by = archiver): Promise<Upload> {
      for (;;) {
        await by.consume({ uploadId });
        const current = await upload(uploadId);
        if (current.status !== "pending" && current.status !== "processing") return current;
        const nextMs = Date.parse(current.nextAttemptAt ?? "1970");
        await clock.sleep(Math.max(50, nextMs - clock.now() + 1));
      }
    },
    storedDigest,
    /** Whether an upload's file has exactly the bytes of a VOD of the stand-in. */
    async holdsVod({ fileKey }: Upload, vodId: string, groupId = "chunked"): Promise<boolean> {
      const { sha256 } = await twitch.control.sourceDigest(vodId, groupId);
      return fileKey !== null && (await storedDigest(fileKey)).sha256 === sha256;
    },
    async storedText(key: string): Promise<string> {
      return new TextDecoder().decode(await storedBytes(key));
    },
    /** Every key in the store and every unfinished multipart upload. */
    async storeContents() {
      const stored = await objects.list({});
      const multiparts = (await objects.listMultiparts()) ?? [];
      return { keys: stored.objects.map(({ key }) => key), multiparts: multiparts.length };
    },
    log: () => opened.log(),
    /** Messages of the platform's queue go to `consumer` from now on. */
    attachConsumer: (consumer: Consumer) => opened.attachConsumer(consumer, async () => consumer),
    async close() {
      await archiver.drain();
      await opened.quiesce();
      const kept = isSpoiled ? [] : await leasedUploads(opened.platform);
      await opened.close();
      await twitch.close();
      // A kept lease would delay the archive until it expires, after every restart and handover.
      if (kept.length > 0) throw new Error(`Nobody works any more, yet leases are kept: ${kept}`);
    },
  };
}

/** Leases of archivers, whose names begin with the host's name; leases taken by tests do not. */
async function leasedUploads({ database, runtime }: Platform): Promise<readonly string[]> {
  const rows = await database.all(sql`
    SELECT id, status, lease_owner FROM uploads
    WHERE kind <> 'manual' AND substr(lease_owner, 1, ${runtime.host.length + 1}) = ${`${runtime.host}-`}`);
  return rows.map((row) => JSON.stringify(row));
}

function acceptingSender(channel: "telegram" | "email"): ChannelSender {
  return {
    channel,
    label: channel,
    unavailableReason: null,
    addressOf: () => "somebody",
    addressMissing: "",
    send: async () => undefined,
  };
}

const ACCEPTED = {
  isDelivered: true,
  isGone: false,
  isRefused: false,
  result: "The receiver accepted the event.",
  status: 200,
  answer: "",
  retryAfterMs: null,
};
