import { LIVE_PAGE_SIZE } from "#contract/limits.ts";
import { uploadStreamMessageSchema, type UploadStreamMessage } from "#contract/upload-stream.ts";
import type { ServiceContext } from "#service/context.ts";
import type { Principal } from "#service/http/route.ts";
import type { LiveEvent } from "#service/ports/live-hub.ts";
import { UPLOADS_TOPIC } from "#service/storage/upload-events.ts";
import { newestUploads } from "#service/storage/upload-row.ts";
import { readLastEventId, sseMessage, sseRetry } from "./sse-message.ts";
import type { OpenedStream, StreamClient } from "./stream-client.ts";
import type { StreamRegistry } from "./stream-registry.ts";
import { onUnread } from "#service/notifications/unread-events.ts";

export type UploadStream = {
  /** `wantsUploads` false: heartbeats and the bell only. */
  open(principal: Principal, wantsUploads: boolean, request: Request): Promise<Response>;
  stop(): void;
};

/** The id of a reader that has seen nothing; resuming from it returns the newest uploads. */
const NOTHING_SEEN = 0;

/** Messages to replay to a resuming reader before new ones. */
type Replay = {
  /** Missed events, growing until `stopCollecting`; null when they are no longer kept. */
  readonly events: readonly LiveEvent[] | null;
  /** The id to resume from until all of it is sent; null when nothing is to be replayed. */
  readonly since: number | null;
  stopCollecting(): void;
};

const NO_REPLAY: Replay = { events: [], since: null, stopCollecting: () => undefined };
const FULL_SNAPSHOT: Replay = {
  events: null,
  since: NOTHING_SEEN,
  stopCollecting: () => undefined,
};

/**
 * The stream of upload changes. One subscription to the hub serves all readers; each message is
 * encoded once. A reader that sends the last id it saw gets the following events, or a snapshot of
 * the newest uploads if those are no longer kept.
 */
export function createUploadStream(
  { platform }: ServiceContext,
  registry: StreamRegistry,
): UploadStream {
  const { hub, random } = platform;
  const readers = new Set<StreamClient>();
  const bells = new Set<StreamClient>();
  let lastId = NOTHING_SEEN;
  let subscribed: Promise<void> | null = null;
  const unsubscribes: (() => void)[] = [];

  async function subscribe(): Promise<void> {
    const uploads = await hub.subscribe(UPLOADS_TOPIC, null, receive);
    lastId = Math.max(lastId, uploads.lastId);
    const bell = await onUnread(hub, ({ userId, unread }) => {
      const bytes = encode(lastId, { type: "notification", unread });
      for (const client of bells) if (client.principal.userId === userId) client.send(bytes);
    });
    unsubscribes.push(uploads.unsubscribe, bell.unsubscribe);
  }

  function receive(event: LiveEvent): void {
    lastId = event.id;
    if (readers.size === 0) return;
    const bytes = sseMessage(event.id, event.data);
    for (const client of readers) client.send(bytes);
  }

  async function replaySince(header: string | null): Promise<Replay> {
    if (header === null) return NO_REPLAY;
    const since = readLastEventId(header);
    if (since === null) return FULL_SNAPSHOT;
    const events: LiveEvent[] = [];
    const subscription = await hub.subscribe(UPLOADS_TOPIC, since, (event) => events.push(event));
    if (!subscription.missed) return { events, since, stopCollecting: subscription.unsubscribe };
    subscription.unsubscribe();
    return FULL_SNAPSHOT;
  }

  async function sendSnapshot(client: StreamClient): Promise<void> {
    const uploads = await newestUploads(platform, LIVE_PAGE_SIZE);
    const last = uploads.at(-1);
    for (const upload of uploads) {
      const id = upload === last ? lastId : NOTHING_SEEN;
      client.send(encode(id, { type: "upload_update", upload }));
    }
  }

  /** Registers the reader for new events before `stopCollecting`. */
  function enter(
    principal: Principal,
    request: Request,
    leavePlace: () => void,
    replay: Replay,
    wantsUploads: boolean,
  ): OpenedStream {
    try {
      const opened = registry.open({
        principal,
        leavePlace,
        permission: "read:uploads",
        request,
        heartbeat: () => encode(lastId, { type: "heartbeat" }),
        onClosed(closed) {
          readers.delete(closed);
          bells.delete(closed);
        },
      });
      const { client } = opened;
      client.send(sseRetry(retryMs(random.bytes(1)[0] ?? 0)));
      client.send(encode(replay.since ?? lastId, { type: "connection" }));
      bells.add(client);
      if (wantsUploads) readers.add(client);
      return opened;
    } finally {
      replay.stopCollecting();
    }
  }

  return {
    async open(principal, wantsUploads, request) {
      subscribed ??= subscribe();
      await subscribed;
      const leavePlace = await registry.takePlace(principal);
      const header = request.headers.get("last-event-id");
      const replay = wantsUploads ? await replaySince(header) : NO_REPLAY;
      const { client, response } = enter(principal, request, leavePlace, replay, wantsUploads);
      if (replay.events === null) await sendSnapshot(client);
      else
        for (const event of newestOfEach(replay.events))
          client.send(sseMessage(event.id, event.data));
      return response;
    },
    stop() {
      for (const unsubscribe of unsubscribes) unsubscribe();
    },
  };
}

/**
 * Two to four seconds of jitter, so that readers disconnected together do not reconnect together.
 */
function retryMs(randomByte: number): number {
  return 2_000 + Math.round((randomByte / 255) * 2_000);
}

function encode(id: number, message: UploadStreamMessage): Uint8Array {
  return sseMessage(id, JSON.stringify(message));
}

function readMessage(event: LiveEvent): UploadStreamMessage {
  return uploadStreamMessageSchema.parse(JSON.parse(event.data));
}

/** The last event of each upload, in order. */
function newestOfEach(events: readonly LiveEvent[]): readonly LiveEvent[] {
  const newest = new Map<string, LiveEvent>();
  for (const event of events) {
    const message = readMessage(event);
    const key =
      message.type === "upload_update"
        ? message.upload.id
        : message.type === "upload_deleted"
          ? message.id
          : String(event.id);
    newest.delete(key);
    newest.set(key, event);
  }
  return [...newest.values()];
}
