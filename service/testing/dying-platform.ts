import type { Database, ObjectStore, Platform } from "#service/platform.ts";

/**
 * A process that ends at a chosen moment: before or after the effect of its n-th call to the
 * database or the store. From then on nothing it does has an effect, and none of its calls answers.
 */
export type DyingPlatform = {
  readonly platform: Platform;
  readonly died: Promise<void>;
  readonly calls: () => number;
};

/**
 * What a dead process's calls do: `vanish` for kill -9; `sleep` for a process that is stopped and
 * goes on when `wake` resolves, not knowing that time has passed.
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
    isDead = true;
    announce();
    if (death.kind === "sleep") {
      await death.wake;
      return effect();
    }
    if (death.isAfterEffect) await effect();
    return never;
  }

  return {
    died,
    calls: () => calls,
    platform: {
      ...platform,
      database: dyingDatabase(platform.database, pass),
      objects: dyingObjects(platform.objects, pass),
    },
  };
}

type Pass = <T>(effect: () => Promise<T>) => Promise<T>;

function dyingDatabase(database: Database, pass: Pass): Database {
  return {
    all: (statement) => pass(() => database.all(statement)),
    run: (statement) => pass(() => database.run(statement)),
    batch: (statements) => pass(() => database.batch(statements)),
  };
}

function dyingObjects(objects: ObjectStore, pass: Pass): ObjectStore {
  return {
    partTagAlgorithm: objects.partTagAlgorithm,
    name: objects.name,
    put: (key, body, options) => pass(() => objects.put(key, body, options)),
    get: (key, range) => pass(() => objects.get(key, range)),
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
