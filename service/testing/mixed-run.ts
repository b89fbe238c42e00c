import { PERMISSIONS, type Permission } from "#contract/permissions.ts";
import { objectKeySchema } from "#contract/files.ts";
import { createService, type Service } from "#service/app.ts";
import { sql } from "#service/db/sql.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import type { Platform } from "#service/platform.ts";
import type { CustomVod } from "#stand-ins/twitch/catalog/custom-vod.ts";
import { createDyingPlatform } from "./dying-platform.ts";
import type { TestClient } from "./test-client.ts";
import { ADMIN, startTestService, type TestService } from "./test-service.ts";

/**
 * A step of a random run against a service. Numbers pick among the objects that exist at that
 * moment, so any list of steps is valid, also after shrinking.
 */
export type MixedStep =
  | { readonly kind: "archive"; readonly vod: number; readonly by: number }
  | { readonly kind: "work" }
  | {
      readonly kind: "die while working";
      readonly pick: number;
      readonly atCall: number;
      readonly isAfterEffect: boolean;
    }
  | {
      readonly kind: "send";
      readonly sizeBytes: number;
      readonly share: number;
      readonly by: number;
    }
  | { readonly kind: "send more"; readonly pick: number; readonly share: number }
  | {
      readonly kind: "cancel" | "delete" | "retry" | "terminate" | "delete file" | "lose object";
      readonly pick: number;
    }
  | { readonly kind: "retry all" | "stray object" }
  | { readonly kind: "ban" | "unban"; readonly user: number }
  | { readonly kind: "permit"; readonly user: number; readonly permissions: readonly Permission[] }
  | { readonly kind: "time passes"; readonly minutes: number };

export type MixedRun = {
  readonly vodkeep: TestService;
  readonly admin: TestClient;
  /** Store operations of the service under test, as they are billed. */
  readonly billed: { classA: number; classB: number };
  take(step: MixedStep): Promise<void>;
  close(): Promise<void>;
};

/**
 * VODs that complete, end early, are refused, or are muted; small, so that many can be archived.
 */
const VODS: readonly CustomVod[] = [
  { segmentCount: 3, segmentSizeBytes: 40_000, ownerId: "1005" },
  { segmentCount: 2, segmentSizeBytes: [9_000_000, 20_000], ownerId: "1005" },
  { segmentCount: 4, segmentSizeBytes: 30_000, ownerId: "1008", vanishAfterSegments: 2 },
  { segmentCount: 2, segmentSizeBytes: 10_000, ownerId: "1008", restriction: "sub-only" },
  { segmentCount: 3, segmentSizeBytes: 25_000, ownerId: "1009", muted: [1], commentsPerMinute: 0 },
];

/** The deployment's administrator and one who can be banned. */
const SENDERS = [ADMIN, "1002"] as const;
const PEOPLE = ["1002", "1005", "1008", "1009", ADMIN] as const;

/** Sleeps are this much faster; the wall clock is not affected. */
const HURRY = 400;

export async function openMixedRun(): Promise<MixedRun> {
  const billed = { classA: 0, classB: 0 };
  const tasks: (() => Promise<void>)[] = [];
  let unbilled: Platform | null = null;
  const vodkeep = await startTestService({
    settings: { METRICS_TOKEN: "a-token-for-metrics" },
    changePlatform(platform) {
      const { clock } = platform;
      unbilled = {
        ...platform,
        clock: { ...clock, sleep: (ms, signal) => clock.sleep(ms / HURRY, signal) },
        scheduler: { every: () => undefined },
      };
      return {
        ...unbilled,
        objects: countStore(platform.objects, billed),
        scheduler: { every: (_intervalMs, _name, run) => void tasks.push(run) },
      };
    },
  });
  const { service, platform, settings, clock, twitch } = vodkeep;
  const { database } = platform;
  const vodIds = await addVods(twitch);
  const clients = await Promise.all([
    vodkeep.signIn(SENDERS[0]),
    vodkeep.signInWith(SENDERS[1], PERMISSIONS),
  ]);
  service.start({ streams: false, tasks: true });

  async function ids(query: ReturnType<typeof sql>): Promise<readonly string[]> {
    return (await database.all(query)).map(({ id }) => String(id));
  }
  const uploads = () => ids(sql`SELECT id FROM uploads ORDER BY seq`);
  const openManual = () =>
    ids(sql`SELECT id FROM uploads WHERE kind = 'manual' AND status <> 'completed' ORDER BY seq`);
  const openUploads = () =>
    ids(sql`SELECT id FROM uploads WHERE status IN ('pending', 'processing') ORDER BY seq`);
  const fileKeys = () => ids(sql`SELECT object_key AS id FROM files ORDER BY seq`);

  async function call(method: string, path: string, body?: unknown, by = 0): Promise<void> {
    const client = pickFrom(clients, by);
    const answer = await client?.call(method, path, body === undefined ? {} : { body });
    if (answer === undefined || answer.status >= 500)
      throw new Error(`${method} ${path} answered ${answer?.status} ${answer?.text}`);
  }

  async function send(path: string, fromByte: number, toByte: number, by: number): Promise<void> {
    const response = await pickFrom(clients, by)?.send("PATCH", path, {
      rawBody: new Uint8Array(toByte - fromByte).fill(7),
      headers: {
        "content-type": "application/offset+octet-stream",
        "content-length": String(toByte - fromByte),
        "tus-resumable": "1.0.0",
        "upload-offset": String(fromByte),
      },
    });
    if (response === undefined || response.status >= 500)
      throw new Error(`PATCH ${path} answered ${response?.status}`);
  }

  async function sendSome(path: string, share: number, by: number): Promise<void> {
    const head = await pickFrom(clients, by)?.send("HEAD", path, {
      headers: { "tus-resumable": "1.0.0" },
    });
    if (head?.status !== 200) return;
    const offset = Number(head.headers.get("upload-offset"));
    const length = Number(head.headers.get("upload-length"));
    const toByte = offset + Math.ceil((length - offset) * share);
    if (toByte > offset) await send(path, offset, toByte, by);
  }

  async function begin(sizeBytes: number, share: number, by: number): Promise<void> {
    const response = await pickFrom(clients, by)?.send("POST", "/admin/uploads/manual", {
      headers: {
        "tus-resumable": "1.0.0",
        "upload-length": String(sizeBytes),
        "upload-metadata": `filename ${btoa("clip.mp4")}`,
      },
    });
    const path = response?.headers.get("location");
    if (path !== null && path !== undefined) await sendSome(path, share, by);
  }

  async function work(by: Pick<Service, "consume">): Promise<void> {
    for (const uploadId of await openUploads()) await by.consume({ uploadId });
  }

  async function dieWhileWorking(
    uploadId: string,
    atCall: number,
    isAfterEffect: boolean,
  ): Promise<void> {
    if (unbilled === null) return;
    const dying = createDyingPlatform(unbilled, { kind: "vanish", atCall, isAfterEffect });
    // Creating the service queries the database too; those calls must not count.
    const opened = await Promise.race([createService(dying.platform, settings), dying.died]);
    if (opened !== undefined) await Promise.race([opened.consume({ uploadId }), dying.died]);
  }

  async function passTime(minutes: number): Promise<void> {
    clock.advance(minutes * 60_000);
    // Keeps sessions alive for the whole run; their expiry is tested elsewhere.
    await database.run(sql`UPDATE sessions SET bearer_expires_at = ${clock.now() + YEAR_MS},
      expires_at = ${clock.now() + YEAR_MS}, last_seen_at = ${clock.now()}`);
    for (const run of tasks) await run();
  }
  await passTime(0);

  async function take(step: MixedStep): Promise<void> {
    switch (step.kind) {
      case "archive":
        return await call(
          "POST",
          "/admin/uploads",
          {
            source: { type: "twitch", vodId: pickFrom(vodIds, step.vod) },
            rightsConfirmed: true,
            again: true,
          },
          step.by,
        );
      case "work":
        return await work(service);
      case "die while working": {
        const uploadId = pickFrom(await openUploads(), step.pick);
        if (uploadId !== undefined)
          await dieWhileWorking(uploadId, step.atCall, step.isAfterEffect);
        return;
      }
      case "send":
        return await begin(step.sizeBytes, step.share, step.by);
      case "send more": {
        const id = pickFrom(await openManual(), step.pick);
        // The attempt by the user who did not create it is refused.
        for (const by of SENDERS.keys())
          if (id !== undefined) await sendSome(`/admin/uploads/manual/${id}`, step.share, by);
        return;
      }
      case "terminate": {
        const id = pickFrom(await openManual(), step.pick);
        await pickFrom(clients, 0)?.send("DELETE", `/admin/uploads/manual/${id ?? "none"}`, {
          headers: { "tus-resumable": "1.0.0" },
        });
        return;
      }
      case "cancel":
      case "retry": {
        const id = pickFrom(await uploads(), step.pick);
        return await call("POST", `/admin/uploads/${id ?? "none"}/${step.kind}`);
      }
      case "delete":
        return await call(
          "DELETE",
          `/admin/uploads/${pickFrom(await uploads(), step.pick) ?? "none"}`,
        );
      case "retry all":
        return await call("POST", "/admin/uploads/bulk-retry", { ids: await uploads() });
      case "delete file":
        return await call(
          "DELETE",
          `/admin/r2/file/${pickFrom(await fileKeys(), step.pick) ?? "none"}`,
        );
      case "lose object": {
        const key = pickFrom(await fileKeys(), step.pick);
        if (key !== undefined) await unbilled?.objects.delete(objectKeySchema.parse(key));
        return;
      }
      case "stray object":
        await unbilled?.objects.put(
          objectKeySchema.parse(`vods/1009/77/stray${clock.now()}.ts`),
          new Uint8Array(1_234),
          { contentType: "video/mp2t" },
        );
        return;
      case "ban":
      case "unban":
        return await call("POST", `/admin/users/${pickFrom(PEOPLE, step.user)}/${step.kind}`);
      case "permit":
        return await call("PUT", `/admin/users/${pickFrom(PEOPLE, step.user)}/permissions`, {
          permissions: step.permissions,
        });
      case "time passes":
        return await passTime(step.minutes);
    }
  }

  return {
    vodkeep,
    admin: clients[0],
    billed,
    take,
    close: () => vodkeep.close(),
  };
}

/** Added sequentially, so that each has the same id in every run. */
async function addVods(twitch: TestService["twitch"]): Promise<readonly string[]> {
  const vodIds: string[] = [];
  for (const vod of VODS) vodIds.push((await twitch.control.addVod(vod)).id);
  return vodIds;
}

const YEAR_MS = 365 * 24 * 3_600_000;

function pickFrom<T>(list: readonly T[], pick: number): T | undefined {
  return list[pick % Math.max(1, list.length)];
}

/** Counts as R2 bills: changes and lists are class A, reads are class B. */
function countStore(store: ObjectStore, billed: { classA: number; classB: number }): ObjectStore {
  const classA = <T>(asked: Promise<T>): Promise<T> => {
    billed.classA += 1;
    return asked;
  };
  const classB = <T>(asked: Promise<T>): Promise<T> => {
    billed.classB += 1;
    return asked;
  };
  return {
    partTagAlgorithm: store.partTagAlgorithm,
    name: store.name,
    isShared: store.isShared,
    put: (key, body, options) => classA(store.put(key, body, options)),
    get: (key, range) => classB(store.get(key, range)),
    head: (key) => classB(store.head(key)),
    list: (options) => classA(store.list(options)),
    delete: (key) => store.delete(key),
    createMultipart: (key, options) => classA(store.createMultipart(key, options)),
    uploadPart: (handle, part, bytes, digest) =>
      classA(store.uploadPart(handle, part, bytes, digest)),
    completeMultipart: (handle, parts) => classA(store.completeMultipart(handle, parts)),
    abortMultipart: (handle) => store.abortMultipart(handle),
    listMultiparts: () => classA(store.listMultiparts()),
  };
}
