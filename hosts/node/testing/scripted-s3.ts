import { createDigests } from "../digests.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import type { Clock } from "#service/ports/clock.ts";
import { createS3Client } from "../s3-store/s3-client.ts";
import { createS3Store } from "../s3-store/s3-store.ts";

export const SCRIPTED_ADDRESS = { bucket: "vods", prefix: "" };
export const SLOW_DOWN =
  "<Error><Code>SlowDown</Code><Message>Please reduce your rate</Message></Error>";

/** An S3 store whose server gives these answers, then `SlowDown`: failures that no emulator can produce. */
export function openScriptedS3(answers: readonly (Response | Error)[], address = SCRIPTED_ADDRESS) {
  const requests: { url: string; method: string; headers: Headers; body: unknown }[] = [];
  const waitsMs: number[] = [];
  const left = [...answers];
  const clock: Clock = {
    now: () => Date.now(),
    monotonic: () => 0,
    async sleep(ms, signal) {
      // Deadlines never expire here; delays between attempts expire at once.
      if (signal === undefined) waitsMs.push(ms);
      else await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  };
  const client = createS3Client({
    address: { ...address, endpoint: "https://s3.test", region: "auto" },
    credentials: {
      accessKeyId: "AKIA",
      secretAccessKey: "very-secret",
    },
    clock,
    random: systemRandom,
    async fetch(url, init) {
      const { method = "GET", headers, body } = init ?? {};
      requests.push({ url, method, headers: new Headers(headers), body });
      const answer = left.shift() ?? new Response(SLOW_DOWN, { status: 503 });
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  const store = createS3Store(client, createDigests(), address);
  return { store, requests, waitsMs };
}
