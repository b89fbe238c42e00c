import type { Permission } from "#contract/permissions.ts";
import { isLiveSession } from "#service/auth/session-validity.ts";
import { onRightsChanged } from "#service/auth/session-events.ts";
import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import { findAccess } from "#service/auth/access.ts";
import type { Principal } from "#service/http/route.ts";
import { openStream, type OpenedStream, type StreamClient } from "./stream-client.ts";

/** Ends streams within 5 s after a right was revoked, even if the event was lost. */
const RECHECK_EVERY_MS = 4_000;
/** A heartbeat every 8 s, well inside the 15 s that the API promises. */
const RECHECKS_PER_HEARTBEAT = 2;
/**
 * A person has a few tabs; more is a leak. New streams are refused instead of evicting old ones,
 * because evicted tabs would reconnect and evict each other.
 */
const MAX_STREAMS_PER_USER = 5;
/**
 * Two hundred people with all their tabs, the load that live updates are designed and tested for.
 */
const MAX_STREAMS = 1_000;

export type StreamRegistry = {
  /**
   * Call before {@link StreamRegistry.open} and pass it the returned function.
   * @throws {ApiError} rate_limited when the user has too many streams at other processes
   */
  takePlace(principal: Principal): Promise<() => void>;
  /** @throws {ApiError} rate_limited or unavailable when there are too many already */
  open(options: {
    principal: Principal;
    leavePlace: () => void;
    permission: Permission;
    request: Request;
    heartbeat: () => Uint8Array | null;
    onClosed: (client: StreamClient) => void;
  }): OpenedStream;
  /** Open streams, for metrics and tests. */
  count(): number;
  start(): void;
  stop(): void;
};

/**
 * All open streams of this process. Every few seconds, and immediately when a user's rights change,
 * each stream is rechecked: its session or token must be live and hold the stream's permission.
 */
export function createStreamRegistry({ platform, settings, log }: ServiceContext): StreamRegistry {
  const clients = new Set<StreamClient>();
  const perUser = new Map<string, number>();
  const stopping = new AbortController();
  let unsubscribe: (() => void) | null = null;

  const factor = settings.RATE_LIMIT_FACTOR;
  const maxPerUser = Math.max(1, Math.floor(MAX_STREAMS_PER_USER * factor));

  function requireRoom(owner: string): void {
    if ((perUser.get(owner) ?? 0) >= maxPerUser) throw tooMany();
    if (clients.size >= Math.max(1, Math.floor(MAX_STREAMS * factor)))
      throw new ApiError("unavailable", "Too many live views are open at the moment.", {
        retryAfterSec: 30,
      });
  }

  function forget(client: StreamClient): void {
    clients.delete(client);
    const owner = ownerOf(client.principal);
    const left = (perUser.get(owner) ?? 1) - 1;
    if (left === 0) perUser.delete(owner);
    else perUser.set(owner, left);
  }

  async function recheck(rechecked: readonly StreamClient[]): Promise<void> {
    const ids = new Set(rechecked.map((client) => client.principal.sessionId));
    const sessions = await findAccess(platform.database, [...ids]);
    const nowMs = platform.clock.now();
    const live = new Map(
      sessions
        .filter((session) => isLiveSession(session, nowMs))
        .map((session) => [session.id, session]),
    );
    for (const client of rechecked) {
      const session = live.get(client.principal.sessionId);
      if (session?.permissions.includes(client.permission) !== true) client.close();
    }
  }

  function beat(): void {
    for (const client of clients) {
      const bytes = client.heartbeat();
      if (bytes !== null) client.send(bytes);
    }
  }

  /** If the database does not answer, the next check is a few seconds later. */
  async function recheckSafely(rechecked: readonly StreamClient[]): Promise<void> {
    if (rechecked.length === 0) return;
    try {
      await recheck(rechecked);
    } catch (error) {
      log.error("Open streams could not be rechecked", { error });
    }
  }

  async function run(): Promise<void> {
    const subscription = await onRightsChanged(platform.hub, (userId) => {
      void recheckSafely([...clients].filter((client) => client.principal.userId === userId));
    });
    unsubscribe = subscription.unsubscribe;
    for (let turn = 1; !stopping.signal.aborted; turn += 1) {
      await platform.clock.sleep(RECHECK_EVERY_MS, stopping.signal);
      if (stopping.signal.aborted) return;
      if (turn % RECHECKS_PER_HEARTBEAT === 0) beat();
      await recheckSafely([...clients]);
    }
  }

  return {
    async takePlace(principal) {
      if (platform.hub.takePlace === undefined) return () => undefined;
      const leave = await platform.hub.takePlace(`streams of ${ownerOf(principal)}`, maxPerUser);
      if (leave === null) throw tooMany();
      return leave;
    },
    open({ principal, leavePlace, permission, request, heartbeat, onClosed }) {
      const owner = ownerOf(principal);
      requireRoom(owner);
      const opened = openStream({
        principal,
        permission,
        signal: request.signal,
        heartbeat,
        onSlow: () =>
          log.warn("A live stream was closed because its client did not keep up", {
            userId: principal.userId,
          }),
        onClosed(client) {
          forget(client);
          leavePlace();
          onClosed(client);
        },
      });
      clients.add(opened.client);
      perUser.set(owner, (perUser.get(owner) ?? 0) + 1);
      return opened;
    },
    count: () => clients.size,
    start() {
      void run();
    },
    stop() {
      stopping.abort();
      unsubscribe?.();
      for (const client of clients) client.close();
    },
  };
}

/** Whose streams are counted together: a user's tabs, or all programs of a user. */
function ownerOf({ userId, token }: Principal): string {
  return token === null ? userId : `programs of ${userId}`;
}

function tooMany(): ApiError {
  return new ApiError("rate_limited", "Too many live views are open. Close one of them.", {
    retryAfterSec: 30,
  });
}
