import { systemClock } from "#hosts/ports/clock.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import type { Digests } from "#service/ports/digests.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import { createDigests } from "../digests.ts";
import { createOutgoingFetch } from "../outgoing-fetch.ts";
import { createS3Client, type S3Client } from "../s3-store/s3-client.ts";
import { createS3Store } from "../s3-store/s3-store.ts";
import { startS3Server, TEST_CREDENTIALS } from "./s3-server.ts";

/** For starting and stopping: the server is a separate process, which is slow on a busy machine. */
export const S3_SERVER_WITHIN_MS = 60_000;

type BucketOptions = {
  readonly fetch?: OutgoingFetch;
  readonly prefix?: string;
  /** A bucket taken earlier; a new one when absent. */
  readonly bucket?: string;
};

export type S3Buckets = {
  readonly digests: Digests;
  /** The host's own function for requests. */
  readonly fetch: OutgoingFetch;
  /** Returns a new empty bucket; `fetch` sits between it and the server. */
  take(fetch?: OutgoingFetch): ObjectStore;
  /** Also returns a bare protocol client for the bucket. */
  takeWithClient(options?: BucketOptions): {
    objects: ObjectStore;
    client: S3Client;
    bucket: string;
  };
  close(): Promise<void>;
};

export async function openS3Buckets(count: number): Promise<S3Buckets> {
  const server = await startS3Server(count);
  const outgoing = createOutgoingFetch();
  const digests = createDigests();

  function takeWithClient({
    fetch = outgoing.fetch,
    prefix = "",
    bucket = server.buckets.pop(),
  }: BucketOptions = {}) {
    if (bucket === undefined) throw new Error(`There were only ${count} buckets`);
    const address = { bucket, prefix, endpoint: server.endpoint, region: "auto" };
    const client = createS3Client({
      address,
      credentials: TEST_CREDENTIALS,
      fetch,
      clock: systemClock,
      random: systemRandom,
    });
    return { objects: createS3Store(client, digests, address), client, bucket };
  }

  return {
    digests,
    fetch: outgoing.fetch,
    take: (fetch) => takeWithClient(fetch === undefined ? {} : { fetch }).objects,
    takeWithClient,
    async close() {
      await outgoing.close();
      await digests.close();
      await server.close();
    },
  };
}
