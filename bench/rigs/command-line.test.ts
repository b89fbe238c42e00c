import { createHash } from "node:crypto";
import { chmod, mkdir, readFile, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { FilePathSource, Input, MP4 } from "mediabunny";
import { afterAll, expect, test } from "vitest";
import { PERMISSIONS, type Permission } from "#contract/permissions.ts";
import { deleteFile, getFile } from "#contract/files.ts";
import type { Upload } from "#contract/upload.ts";
import { deleteUpload } from "#contract/uploads.ts";
import { createToken, revokeToken } from "#contract/tokens.ts";
import { run } from "#hosts/node/testing/run.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { openMirrorIndex } from "#program/client/mirror-index.ts";
import { addressOf } from "#service/testing/call-address.ts";
import { killableNodeHost } from "./killable-node.ts";
import { openRigHost, RIG_ADMIN } from "./rig-host.ts";
import { mountSmallDisk } from "./small-disk.ts";
import { startSpoilingFront } from "./spoiling-front.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MIB = 1024 ** 2;
const THREE_INIT_SEGMENTS = "2000001043";

const folder = await makeTemporaryFolder();
/** As it is installed. */
const PROGRAM = join(folder.path, "program/main.js");
await run(process.execPath, ["scripts/bundle-program.mjs", dirname(PROGRAM)]);
const rig = await openRigHost(killableNodeHost(join(folder.path, "data")), {
  MAX_RETRIES: "0",
  LIBRARY_DIR: join(folder.path, "library"),
});
await rig.startHost();
const admin = await rig.signIn();
const token = await makeToken();
const owner = await rig.control.addAccount({ login: "archived_one" });
const vods = await Promise.all(
  [1, 2, 3].map((hoursAgo) =>
    rig.control.addVod({
      ownerId: owner.id,
      segmentCount: 6,
      segmentSizeBytes: 3 * MIB,
      createdAt: Date.now() - hoursAgo * 3_600_000,
    }),
  ),
);
const broken = await rig.control.addVod({ ownerId: owner.id, title: "broken", segmentCount: 2 });
await rig.control.addFault({
  match: { kind: "segment", vodId: broken.id, segmentIndex: 1 },
  fault: { type: "noSuchObject" },
  times: 1_000,
});
const mirrored = join(folder.path, "mirror");
const front = await startSpoilingFront(rig.publicUrl);
afterAll(async () => {
  front.close();
  await rig.close();
  await folder.remove();
});

async function makeToken(permissions: readonly Permission[] = PERMISSIONS) {
  const body = { name: "script", permissions: [...permissions], expiresInDays: null };
  return await admin.expect(createToken, undefined, { body });
}

function runThere(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const environment = {
    PATH: [join(folder.path, "bin"), process.env.PATH].join(delimiter),
    XDG_CONFIG_HOME: join(folder.path, "config"),
    VODKEEP_URL: rig.publicUrl,
    VODKEEP_TOKEN: token.token,
    ...env,
  };
  return run(command, args, environment, { cwd: folder.path });
}

function vodkeep(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runThere(process.execPath, [PROGRAM, ...args], env);
}

async function filesOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .flatMap((entry) =>
      entry.isFile() && entry.name.endsWith(".ts") ? [join(entry.parentPath, entry.name)] : [],
    )
    .toSorted();
}

async function digestOf(path: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}

// The service reads lists and starts what fits once a minute.
test("the documented script archives a channel, waits, and verifies the mirror", async () => {
  const page = await readFile(join(ROOT, "docs/command-line.md"), "utf8");
  const script = /```sh\n(#!\/bin\/sh\n[^]*?)```/.exec(page)?.[1] ?? "";
  expect(script.trimEnd().split("\n")).toHaveLength(10);
  await mkdir(join(folder.path, "bin"));
  const shim = `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`;
  await writeFile(join(folder.path, "bin/vodkeep"), shim);
  await chmod(join(folder.path, "bin/vodkeep"), 0o755);
  await writeFile(join(folder.path, "archive-channel.sh"), script);

  const first = await runThere("sh", ["archive-channel.sh", owner.login, mirrored, "my own"]);
  // One of four failed for good.
  expect(first).toMatchObject({
    code: 8,
    stdout: expect.stringContaining("3 files: 3 copied"),
  });
  const files = await filesOf(mirrored);
  const expected = await Promise.all(vods.map(({ id }) => rig.control.sourceDigest(id)));
  expect((await Promise.all(files.map(digestOf))).toSorted()).toEqual(
    expected.map(({ sha256 }) => sha256).toSorted(),
  );

  const [failed] = JSON.parse((await vodkeep(["ls", "--status", "failed", "--json"])).stdout);
  expect(failed.debugInfo.twitchVodId).toBe(broken.id);
  await admin.expect(deleteUpload, `/admin/uploads/${failed.id}`);
  const second = await runThere("sh", ["archive-channel.sh", owner.login, mirrored, "my own"]);
  expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining("0 copied") });
});

test("a mirror for media servers has what the library folder has, and who made it", async () => {
  const media = join(folder.path, "media");
  const own = /(?:\.info\.json|\.vodkeep-mirror\.db|vodkeep-library\.json)$/;
  async function namesIn(path: string): Promise<string[]> {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(path, join(parentPath, name)))
      .filter((name) => !own.test(name))
      .toSorted();
  }
  const mirror = ["mirror", media, "--layout", "media", "--channel", owner.login];
  const first = await vodkeep(mirror);
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("3 files: 3 copied") });
  // Chats are read after the videos, and the library is compared once a minute.
  await expect
    .poll(
      async () => {
        await vodkeep(mirror);
        const [mirrorNames, library] = [media, join(folder.path, "library")].map(namesIn);
        return { mirror: await mirrorNames, library: await library };
      },
      { timeout: 400_000, interval: 5_000 },
    )
    .toSatisfy((names) => names.library.length >= 10 && `${names.mirror}` === `${names.library}`);
  const names = await namesIn(media);
  for (const name of names)
    expect(await digestOf(join(media, name))).toBe(
      await digestOf(join(folder.path, "library", name)),
    );
  const [video = ""] = await filesOf(media);
  const info = JSON.parse(await readFile(video.replace(/\.ts$/, ".info.json"), "utf8"));
  expect(info).toMatchObject({ uploader_id: owner.login, extractor: "twitch:vod" });
  expect(await vodkeep(["verify", media])).toMatchObject({ code: 0 });
});

test("a mirror reports what was changed or removed here, keeps it, and works alone", async () => {
  const [file = "", lost = ""] = await filesOf(mirrored);
  const original = await readFile(file);
  const changed = Uint8Array.from(original);
  changed[MIB] = (changed[MIB] ?? 0) ^ 1;
  await writeFile(file, changed);
  await rename(lost, `${lost}.away`);

  const verified = await vodkeep(["verify", mirrored, "--json"]);
  expect(verified.code).toBe(6);
  expect(
    JSON.parse(verified.stdout)
      .map(({ result }: { result: string }) => result)
      .toSorted(),
  ).toEqual(["differs", "missing", "right"]);
  expect(await vodkeep(["verify", file])).toMatchObject({ code: 6 });
  // Without the mirror's index, by the bytes alone.
  await mkdir(join(folder.path, "alone"));
  await rename(`${lost}.away`, join(folder.path, "alone/vod.ts"));
  // As an interrupted download leaves it.
  await writeFile(join(folder.path, "alone/b.ts.lock-journal"), "");
  for (const path of ["alone/vod.ts", "alone"])
    expect(await vodkeep(["verify", path])).toMatchObject({ code: 0 });

  const held = openMirrorIndex(mirrored);
  const second = await vodkeep(["mirror", mirrored]);
  held.close();
  expect(second).toMatchObject({ code: 1, stderr: expect.stringMatching(/Another vodkeep/) });

  const again = await vodkeep(["mirror", mirrored, "--json"]);
  expect(again).toMatchObject({ code: 6, stderr: expect.stringContaining(file) });
  expect(JSON.parse(again.stdout)).toEqual({ files: 3, copied: 1, present: 1, unproved: 0 });
  expect(Buffer.compare(await readFile(file), changed)).toBe(0);
  await rm(file);
  expect(await vodkeep(["mirror", mirrored])).toMatchObject({ code: 0 });
  expect(Buffer.compare(await readFile(file), original)).toBe(0);
});

test("what the service does not store any more is proved by the mirror itself", async () => {
  const [file = ""] = await filesOf(mirrored);
  const changed = await readFile(file);
  changed[MIB] = (changed[MIB] ?? 0) ^ 1;
  const index = openMirrorIndex(mirrored);
  const [key] = [...index.all()].find(([, { path }]) => join(mirrored, path) === file) ?? [];
  index.close();
  if (key === undefined) throw new Error("The mirror does not know the file");
  await admin.expect(deleteFile, deleteFile.path.replace("{key+}", key));
  const kept = await vodkeep(["verify", mirrored]);
  expect(kept).toMatchObject({
    code: 7,
    stdout: expect.stringMatching(/^kept here only .+\n2 of 3 files are right\n$/),
  });
  expect(kept.stdout).toContain(file.slice(-20));
  await writeFile(file, changed);
  const damaged = await vodkeep(["verify", mirrored]);
  expect(damaged).toMatchObject({ code: 6, stdout: expect.stringMatching(/^differs .+\n2 of 3/) });
  // Deleted on both sides, it is not missed.
  await rm(file);
  expect(await vodkeep(["verify", mirrored])).toMatchObject({ code: 0 });
});

test("a download goes on after cuts, a wrong byte and a full disk, and is proved", async ({
  onTestFinished,
}) => {
  const listed = await vodkeep(["ls", "--status", "completed", "--json"]);
  const upload = JSON.parse(listed.stdout).find(({ fileKey }: Upload) => fileKey !== null);
  const { sha256 } = await rig.control.sourceDigest(upload.debugInfo.twitchVodId);
  const media = /^\/media\//;
  front.rules.push(
    { path: media, afterBytes: 5 * MIB },
    { path: media, afterBytes: MIB, flips: true },
    { path: media, afterBytes: 100 },
  );
  const to = join(folder.path, "loose.ts");
  await writeFile(`${to}.part`, new Uint8Array(2 * MIB));
  const env = { VODKEEP_URL: front.url };
  expect(await vodkeep(["download", upload.id, "--output", to], env)).toMatchObject({ code: 0 });
  expect(front.rules).toEqual([]);
  expect(await digestOf(to)).toBe(sha256);
  expect((await readdir(folder.path)).filter((name) => /\.(part|lock)$/.test(name))).toEqual([]);

  // A link could lead to any file of this user.
  await writeFile(join(folder.path, "private"), "mine");
  await symlink(join(folder.path, "private"), join(folder.path, "linked.ts.part"));
  const linked = await vodkeep(["download", upload.id, "--output", join(folder.path, "linked.ts")]);
  expect(linked).toMatchObject({ code: 1, stderr: expect.stringMatching(/part cannot.+ a link/) });
  expect(await readFile(join(folder.path, "private"), "utf8")).toBe("mine");
  await rm(join(folder.path, "linked.ts.part"));

  await writeFile(to, "mine");
  expect(await vodkeep(["download", upload.id, "--output", to])).toMatchObject({ code: 6 });
  expect(await readFile(to, "utf8")).toBe("mine");

  const disk = await mountSmallDisk(24 * MIB);
  if (disk === null) return;
  onTestFinished(() => disk.remove());
  await mkdir(disk.folder);
  disk.fill(12 * MIB);
  const there = ["download", upload.id, "--output", join(disk.folder, "vod.ts")];
  const full = await vodkeep(there);
  expect(full).toMatchObject({ code: 1, stderr: expect.stringMatching(/disk is full.*goes on/i) });
  disk.clear();
  expect(await vodkeep(there)).toMatchObject({ code: 0 });
});

test("uploads are followed over broken streams to their ends", async () => {
  const vod = await rig.control.addVod({
    ownerId: RIG_ADMIN,
    title: "a\u009b2J\nb",
    segmentCount: 4,
    paceBytesPerSecond: MIB,
  });
  const gone = { ...vod, id: "3999999999" };
  front.rules.push({ path: /stream/, afterBytes: 0 }, { path: /stream/, afterBytes: 400 });
  const archived = await vodkeep(
    ["archive", vod.id, gone.id, "--rights-confirmed", "--wait", "--json"],
    { VODKEEP_URL: front.url },
  );
  expect(archived).toMatchObject({ code: 4, stderr: expect.stringContaining(gone.id) });
  expect(JSON.parse(archived.stdout)).toMatchObject([{ status: "completed" }]);
  expect(front.rules).toEqual([]);
  const [{ id }] = JSON.parse(archived.stdout);
  const watched = await vodkeep(["watch", id, "--json"]);
  expect(JSON.parse(watched.stdout)).toMatchObject({ id, status: "completed" });
  expect(await vodkeep(["watch", id])).toMatchObject({
    code: 0,
    stdout: `${id} completed 100 % a2Jb\n`,
  });

  const to = join(folder.path, "vod.mp4");
  expect(await vodkeep(["download", id, "--mp4", "--output", to])).toMatchObject({ code: 0 });
  const mp4 = new Input({ source: new FilePathSource(to), formats: [MP4] });
  expect(await mp4.computeDuration()).toBeCloseTo(40, 0);
  expect((await readdir(folder.path)).filter((name) => name.startsWith("vod.mp4"))).toHaveLength(1);

  const spans = join(folder.path, "spans");
  await mkdir(spans);
  const span = ["--mp4", "--from", "0:10", "--to", "20", "--output", spans];
  const some = await vodkeep(["download", id, "no-such-upload", ...span]);
  expect(some).toMatchObject({ code: 4, stderr: expect.stringContaining("no-such-upload") });
  const [name = "", ...others] = await readdir(spans);
  expect([name, others]).toEqual([expect.stringMatching(/ 0\.00\.10-0\.00\.20\.mp4$/), []]);
  const clip = new Input({ source: new FilePathSource(join(spans, name)), formats: [MP4] });
  expect(await clip.computeDuration()).toBeCloseTo(10, -1);
});

test("a fragmented MP4 with several init segments is downloaded as one MP4", async () => {
  const archived = await vodkeep([
    "archive",
    THREE_INIT_SEGMENTS,
    "--rights-confirmed",
    "--wait",
    "--json",
  ]);
  const [{ id }] = JSON.parse(archived.stdout);
  const movies = [];
  for (const options of [[], ["--mp4"]]) {
    const to = join(folder.path, `three${options.length}.mp4`);
    expect(await vodkeep(["download", id, ...options, "--output", to])).toMatchObject({ code: 0 });
    movies.push((await readFile(to)).toString("latin1").split("moov").length - 1);
  }
  expect(movies).toEqual([3, 1]);
});

test("a file that came with other bytes than were proved is verified next by the service", async () => {
  const [{ id, fileKey }] = JSON.parse((await vodkeep(["ls", "--json", "--limit", "1"])).stdout);
  const path = join(folder.path, "data/objects", fileKey);
  const bytes = await readFile(path);
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  await writeFile(path, bytes);
  const reader = await makeToken(["read:uploads"]);
  const to = join(folder.path, "damaged.ts");
  const refused = await vodkeep(["download", id, "--output", to], { VODKEEP_TOKEN: reader.token });
  expect(refused).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/came twice.+that takes write:uploads\.\n$/),
  });
  const asked = await vodkeep(["download", id, "--output", to]);
  expect(asked).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/came twice.+The service verifies the file next\.\n$/),
  });
  // Rounds begin every minute.
  await expect
    .poll(() => admin.expect(getFile, addressOf(getFile, { key: fileKey })), {
      timeout: 180_000,
      interval: 1_000,
    })
    .toMatchObject({ status: "partial" });
});

test("exit codes and sentences", async () => {
  const revoked = await makeToken();
  await admin.expect(revokeToken, addressOf(revokeToken, { id: revoked.id }));
  const stored = { VODKEEP_URL: "", VODKEEP_TOKEN: "" };
  const elsewhere = { VODKEEP_URL: "http://127.0.0.1:9", VODKEEP_TOKEN: "" };
  const cases: readonly [readonly string[], Readonly<Record<string, string>>, number, RegExp][] = [
    [["archive", vods[0]?.id ?? "", "--rights-confirmed", "123"], {}, 2, /^Write 123 before/],
    [["status", ".."], {}, 2, /not a valid id/],
    [["ls"], { VODKEEP_TOKEN: revoked.token }, 3, /does not know this token. Run: vodkeep login/],
    [["login"], {}, 0, /^$/],
    [["ls", "--status", "failed"], elsewhere, 3, /^There is no token/],
    [["ls"], stored, 0, /^$/],
    [["retry", "nothing"], {}, 4, /^nothing: There is no such upload/],
    [["cancel", "x"], { VODKEEP_URL: "http://127.0.0.1:9" }, 5, /cannot be reached/],
  ];
  for (const [args, env, code, sentence] of cases) {
    const ended = await vodkeep(args, env);
    expect({ args, ...ended }).toMatchObject({
      args,
      code,
      stderr: expect.stringMatching(sentence),
    });
  }
});
