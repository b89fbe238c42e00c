import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { systemClock } from "#hosts/ports/clock.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import { createDigests } from "../digests.ts";
import { createOutgoingFetch } from "../outgoing-fetch.ts";
import { createS3Client } from "../s3-store/s3-client.ts";
import { createS3Store } from "../s3-store/s3-store.ts";

const credentials = {
  accessKeyId: "test-access-key-id",
  secretAccessKey: "test-secret-access-key",
};

type BucketOptions = {
  readonly fetch?: OutgoingFetch;
  readonly prefix?: string;
  /** A bucket taken earlier; a new one when absent. */
  readonly bucket?: string;
};

export type S3Buckets = Awaited<ReturnType<typeof openS3Buckets>>;

/**
 * The S3 endpoint of Cloudflare's R2 emulator: it checks signatures, sizes and order of parts.
 * Unlike in R2 itself, its part tags are random.
 */
export async function openS3Buckets(count: number) {
  const buckets = Array.from({ length: count }, (_, index) => `bucket-${index}`);
  const server = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default { fetch: () => new Response(null, { status: 404 }) }",
      r2Buckets: Object.fromEntries(buckets.map((id) => [id, { id, s3Credentials: credentials }])),
    }),
  );
  const endpoint = `${(await server.ready).origin}/cdn-cgi/local/r2/s3`;
  const outgoing = createOutgoingFetch();
  const digests = createDigests();

  function takeWithClient({
    fetch = outgoing.fetch,
    prefix = "",
    bucket = buckets.pop(),
  }: BucketOptions = {}) {
    if (bucket === undefined) throw new Error(`There were only ${count} buckets`);
    const address = { bucket, prefix, endpoint, region: "auto" };
    const client = createS3Client({
      address,
      credentials,
      fetch,
      clock: systemClock,
      random: systemRandom,
    });
    return { objects: createS3Store(client, digests, address), client, address, credentials };
  }

  return {
    digests,
    /** The host's own function for requests. */
    fetch: outgoing.fetch,
    /** Returns a new empty bucket; `fetch` sits between it and the server. */
    take: (fetch?: OutgoingFetch) => takeWithClient(fetch === undefined ? {} : { fetch }).objects,
    /** Also returns a bare protocol client for the bucket. */
    takeWithClient,
    async close() {
      await outgoing.close();
      await digests.close();
      await server.dispose();
    },
  };
}
