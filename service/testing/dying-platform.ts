import type { Clock } from "#service/ports/clock.ts";
import type { Database } from "#service/ports/database.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import type { Platform } from "#service/platform.ts";

/**
 * A process that dies at a chosen moment: before or after the effect of its n-th call to the
 * database or the store. From then on its calls have no effect and never return.
 */
export type DyingPlatform = {
  readonly platform: Platform;
  readonly died: Promise<void>;
  readonly calls: () => number;
  /** Kills it now, regardless of its calls. */
  die(): void;
};

/**
 * The behaviour of a dead process's calls: `vanish` for kill -9; `sleep` for a process that is
 * suspended and continues when `wake` resolves, unaware that time has passed.
 */
export type Death =
  | { readonly kind: "vanish"; readonly atCall: number; readonly isAfterEffect: boolean }
  | { readonly kind: "sleep"; readonly atCall: number; readonly wake: Promise<void> };

export function createDyingPlatform(platform: Platform, death: Death): DyingPlatform {
  let calls = 0;
  let isDead = false;
  const { promise: died, resolve: announce } = Promise.withResolvers<void>();
  const never = new Promise<never>(() => undefined);

  async function pass<T>(effect: () => Promise<T>): Promise<T> {
    calls += 1;
    if (isDead && death.kind === "vanish") return never;
    if (isDead && death.kind === "sleep") {
      await death.wake;
      return effect();
    }
    if (calls < death.atCall) return effect();
    die();
    if (death.kind === "sleep") {
      await death.wake;
      return effect();
    }
    if (death.isAfterEffect) await effect();
    return never;
  }

  function die(): void {
    isDead = true;
    announce();
  }

  return {
    died,
    die,
    calls: () => calls,
    platform: {
      ...platform,
      clock: death.kind === "vanish" ? dyingClock(platform.clock, died) : platform.clock,
      database: dyingDatabase(platform.database, pass),
      objects: dyingObjects(platform.objects, pass, death.kind === "vanish" ? died : never),
    },
  };
}

/** A dead process's sleeps never resolve, and it keeps no timer. */
function dyingClock(clock: Clock, gone: Promise<void>): Clock {
  const ended = new AbortController();
  void gone.then(() => ended.abort());
  return {
    ...clock,
    async sleep(ms, signal) {
      const signals = signal === undefined ? [ended.signal] : [signal, ended.signal];
      await clock.sleep(ms, AbortSignal.any(signals));
      if (ended.signal.aborted) await new Promise<never>(() => undefined);
    },
  };
}

type Pass = <T>(effect: () => Promise<T>) => Promise<T>;

function dyingDatabase(database: Database, pass: Pass): Database {
  const { makeDurable } = database;
  return {
    ...(makeDurable === undefined ? {} : { makeDurable: () => pass(() => makeDurable()) }),
    all: (statement) => pass(() => database.all(statement)),
    run: (statement) => pass(() => database.run(statement)),
    batch: (statements) => pass(() => database.batch(statements)),
  };
}

function dyingObjects(objects: ObjectStore, pass: Pass, gone: Promise<void>): ObjectStore {
  return {
    partTagAlgorithm: objects.partTagAlgorithm,
    name: objects.name,
    isShared: objects.isShared,
    put: (key, body, options) => pass(() => objects.put(key, body, options)),
    get: (key, range) =>
      pass(async () => {
        const found = await objects.get(key, range);
        return found === null ? null : { ...found, body: readableUntil(gone, found.body) };
      }),
    head: (key) => pass(() => objects.head(key)),
    list: (options) => pass(() => objects.list(options)),
    delete: (key) => pass(() => objects.delete(key)),
    createMultipart: (key, options) => pass(() => objects.createMultipart(key, options)),
    uploadPart: (handle, partNumber, bytes, digest) =>
      pass(() => objects.uploadPart(handle, partNumber, bytes, digest)),
    completeMultipart: (handle, parts) => pass(() => objects.completeMultipart(handle, parts)),
    abortMultipart: (handle) => pass(() => objects.abortMultipart(handle)),
    listMultiparts: () => pass(() => objects.listMultiparts()),
  };
}

/** A dead process holds no file open. */
function readableUntil(
  gone: Promise<void>,
  body: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  void gone.then(() => reader.cancel());
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
