import * as z from "zod/mini";
import type { Cache } from "#service/ports/cache.ts";
import type { Clock } from "#service/ports/clock.ts";

/** The minimum TTL of a KV entry (developers.cloudflare.com/kv/platform/limits). */
const MIN_KEPT_SEC = 60;

/** Concurrent deletions: an invocation may have six open connections. */
const DELETED_AT_ONCE = 5;

const entrySchema = z.object({ value: z.string(), expiresAt: z.number() });

/**
 * The cache as a KV namespace. KV is eventually consistent, so a replaced entry may be read for
 * another minute, and accepts one write per second and key. Failed writes are ignored: a cache miss
 * costs only time.
 */
export function openKvCache(namespace: KVNamespace, clock: Clock): Cache {
  /** Deletions do not report a missing key: two concurrent calls would count entries twice. */
  let lastClearing: Promise<unknown> = Promise.resolve();

  async function dropAll(): Promise<number> {
    let dropped = 0;
    let cursor: string | null = null;
    do {
      const page: KVNamespaceListResult<unknown> = await namespace.list({ cursor });
      const names = page.keys.map(({ name }) => name);
      for (let from = 0; from < names.length; from += DELETED_AT_ONCE)
        await Promise.all(
          names.slice(from, from + DELETED_AT_ONCE).map((name) => namespace.delete(name)),
        );
      dropped += names.length;
      cursor = page.list_complete ? null : page.cursor;
    } while (cursor !== null);
    return dropped;
  }

  return {
    async get(key) {
      const text = await namespace.get(key);
      if (text === null) return null;
      const { value, expiresAt } = entrySchema.parse(JSON.parse(text));
      return expiresAt > clock.now() ? value : null;
    },

    async set(key, value, timeToLiveMs) {
      const expiresAt = clock.now() + timeToLiveMs;
      const expirationTtl = Math.max(MIN_KEPT_SEC, Math.ceil(timeToLiveMs / 1_000));
      await namespace
        .put(key, JSON.stringify({ value, expiresAt }), { expirationTtl })
        .catch(() => undefined);
    },

    clear() {
      const clearing = lastClearing.then(dropAll);
      lastClearing = clearing.catch(() => undefined);
      return clearing;
    },
  };
}
