import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CALLS } from "#contract/registry.ts";
import { addressOf } from "#service/testing/call-address.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import type { AbuseOptions, AbuseResult } from "./abuse-scenario.ts";
import { killableNodeHost } from "./killable-node.ts";
import { openRigHost } from "./rig-host.ts";

/** Accounts of the Twitch stand-in without permissions. */
const ACCOUNTS = ["1005", "1006"] as const;
const SESSIONS_PER_ACCOUNT = 5;
const REQUESTS_AT_ONCE = 16;

/**
 * The maximum growth of the database, however many requests are refused: an audit entry of about
 * 1.3 kB per account and call, the counts per minute, and the log.
 */
const MAX_GROWTH_BYTES = 1024 * 1024;

/**
 * Sends requests that must be refused: from other sites under many addresses, with invalid tokens,
 * and from accounts without rights in several sessions each. Rate limits are disabled, since the
 * assertions must hold without them.
 */
export async function flood({ requests, report }: AbuseOptions): Promise<AbuseResult> {
  const folder = await mkdtemp(join(tmpdir(), "vodkeep-flood-"));
  const rig = await openRigHost(killableNodeHost(folder), { TRUSTED_PROXIES: "127.0.0.1" });
  let host = await rig.startHost();
  try {
    const clients: TestClient[] = [];
    for (const account of ACCOUNTS)
      for (let session = 0; session < SESSIONS_PER_ACCOUNT; session += 1)
        clients.push(await rig.signIn(account));
    await host.stop();
    const before = measure(folder);
    host = await rig.startHost();

    const kinds = [
      (index: number) => sendFromElsewhere(rig.publicUrl, index),
      (index: number) => sendDeadToken(rig.publicUrl, index),
      (index: number) => sendWithoutRights(clients, index),
    ];
    let refused = 0;
    await inParallel(requests, async (index) => {
      const status = await kinds[index % kinds.length]?.(index);
      if (status === 401 || status === 403) refused += 1;
      if ((index + 1) % 10_000 === 0) report(`${index + 1} requests`);
    });
    await host.stop();

    const after = measure(folder);
    const growthBytes = after.sizeBytes - before.sizeBytes;
    const entries = after.refusals - before.refusals;
    const faults: string[] = [];
    if (refused !== requests) faults.push(`${requests - refused} requests were not refused`);
    if (growthBytes > MAX_GROWTH_BYTES) faults.push(`The database grew by ${growthBytes} bytes`);
    if (entries > ACCOUNTS.length * CALLS.length)
      faults.push(`${entries} audit entries were written`);
    if (entries < ACCOUNTS.length) faults.push("Refusals of signed-in users left no entry");
    return {
      summary: `${refused} refusals grew the database by ${growthBytes} bytes and ${entries} audit entries.`,
      faults,
    };
  } finally {
    await rig.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function inParallel(count: number, send: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: REQUESTS_AT_ONCE }, async () => {
      while (next < count) {
        const index = next;
        next += 1;
        await send(index);
      }
    }),
  );
}

/** A different address in a different network for each index. */
function addressAt(index: number): string {
  const [high, low] = [(index >> 8) & 0xff, index & 0xff];
  return index % 2 === 0 ? `203.${high}.${low}.7` : `2001:db8:${index.toString(16)}::7`;
}

async function sendFromElsewhere(publicUrl: string, index: number): Promise<number> {
  return await statusOf(`${publicUrl}/admin/users/${"A".repeat(250)}`, {
    origin: "https://evil.example",
    "x-forwarded-for": addressAt(index),
  });
}

async function sendDeadToken(publicUrl: string, index: number): Promise<number> {
  return await statusOf(`${publicUrl}/admin/uploads`, {
    authorization: `Bearer ${index.toString(16).padStart(64, "0")}`,
    "x-forwarded-for": addressAt(index),
  });
}

const REFUSED_CALLS = CALLS.filter(({ policy }) => policy !== "public" && policy !== "session");

async function sendWithoutRights(clients: readonly TestClient[], index: number): Promise<number> {
  const client = clients[index % clients.length];
  const call = REFUSED_CALLS[Math.floor(index / clients.length) % REFUSED_CALLS.length];
  if (client === undefined || call === undefined) throw new Error("There is nobody to send it");
  const ids = { id: `id${index}`, key: `vods/1/${index}/video.ts` };
  const response = await client.send(call.method, addressOf(call, ids));
  await response.body?.cancel();
  return response.status;
}

async function statusOf(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const response = await fetch(url, { headers });
  await response.body?.cancel();
  return response.status;
}

/** Call while no service is running. */
function measure(folder: string): { sizeBytes: number; refusals: number } {
  const path = join(folder, "vodkeep.db");
  const database = new DatabaseSync(path);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const row = database.prepare("SELECT count(*) AS n FROM audit WHERE result = 'refused'").get();
  database.close();
  return { sizeBytes: statSync(path).size, refusals: Number(row?.n) };
}
