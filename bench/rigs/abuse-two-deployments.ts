import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { startS3Server, TEST_CREDENTIALS } from "#hosts/node/testing/s3-server.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import type { AbuseOptions, AbuseResult } from "./abuse-scenario.ts";
import { startChild } from "./child.ts";
import { openRigHost } from "./rig-host.ts";

const VERSION = { "tus-resumable": "1.0.0" };
const PIECE_BYTES = 1_000_000;

type Environment = Readonly<Record<string, string>>;

/**
 * Starts a deployment with an empty database on another one's bucket, which has a half-sent upload.
 * It must be refused, and the upload must continue. A takeover reverses the roles.
 */
export async function twoDeployments({ report }: AbuseOptions): Promise<AbuseResult> {
  const root = await mkdtemp(join(tmpdir(), "vodkeep-two-"));
  const server = await startS3Server(1);
  const twitch = await startChild("stand-ins/twitch/main.ts", {});
  const bucket = {
    OBJECT_STORE: `s3://${server.buckets[0] ?? ""}?endpoint=${encodeURIComponent(server.endpoint)}&region=auto`,
    S3_ACCESS_KEY_ID: TEST_CREDENTIALS.accessKeyId,
    S3_SECRET_ACCESS_KEY: TEST_CREDENTIALS.secretAccessKey,
  };
  let settings: Environment = {};
  const rig = await openRigHost(
    {
      start(given) {
        settings = { ...given, ...bucket, DATA_DIR: join(root, "first") };
        return startChild("hosts/node/main.ts", settings);
      },
    },
    twitch,
  );
  let host = await rig.startHost();
  const faults: string[] = [];
  try {
    const client = await rig.signIn();
    const created = await client.send("POST", "/admin/uploads/manual", {
      headers: { ...VERSION, "upload-length": String(60 * PIECE_BYTES) },
    });
    const upload = created.headers.get("location") ?? "";
    await sendPiece(client, upload, 0);

    const second = { ...settings, PORT: "0", DATA_DIR: join(root, "second") };
    const refused = await run("hosts/node/main.ts", second);
    report(refused.said.trim());
    if (refused.code === 0) faults.push("The second deployment started");
    if (!refused.said.includes(rig.publicUrl) || !refused.said.includes("npm run takeover"))
      faults.push("The refusal names neither the owner nor the way out");
    const offset = await sendPiece(client, upload, PIECE_BYTES);
    if (offset !== 2 * PIECE_BYTES) faults.push("The first deployment's upload was lost");

    await host.stop();
    const takeover = await run("scripts/takeover.ts", second);
    report(takeover.said.trim());
    if (takeover.code !== 0) faults.push("The takeover failed");
    const former = await run("hosts/node/main.ts", settings);
    if (former.code === 0) faults.push("The former owner started");
    host = await startChild("hosts/node/main.ts", { ...settings, DATA_DIR: second.DATA_DIR });
    return { summary: "One deployment owned the bucket at a time.", faults };
  } finally {
    await host.kill();
    await twitch.stop();
    await server.close();
    await rm(root, { recursive: true, force: true });
  }
}

/** Returns the new offset; null when the chunk was refused. */
async function sendPiece(
  client: TestClient,
  upload: string,
  offset: number,
): Promise<number | null> {
  const response = await client.send("PATCH", upload, {
    rawBody: new Uint8Array(PIECE_BYTES),
    headers: {
      ...VERSION,
      "content-type": "application/offset+octet-stream",
      "upload-offset": String(offset),
    },
  });
  await response.body?.cancel();
  return response.status === 204 ? Number(response.headers.get("upload-offset")) : null;
}

/** Longer than a refused start takes. */
const ENDS_WITHIN_MS = 60_000;

/** Runs a program to its end. */
async function run(script: string, env: Environment): Promise<{ code: unknown; said: string }> {
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env.PATH, ...env },
    timeout: ENDS_WITHIN_MS,
  });
  const exited = once(child, "exit");
  const said = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code]: unknown[] = await exited;
  return { code, said: said.join("") };
}
