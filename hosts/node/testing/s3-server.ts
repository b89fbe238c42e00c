import { convertV4MiniflareOptions, Miniflare } from "miniflare";

/**
 * The S3 endpoint of Cloudflare's R2 emulator: it checks signatures, sizes and order of parts.
 * Unlike in R2 itself, its part tags are random.
 */
export const TEST_CREDENTIALS = {
  accessKeyId: "test-access-key-id",
  secretAccessKey: "test-secret-access-key",
};

export type S3Server = {
  readonly endpoint: string;
  /** Names of existing, empty buckets. */
  readonly buckets: string[];
  close(): Promise<void>;
};

export async function startS3Server(bucketCount: number): Promise<S3Server> {
  const buckets = Array.from({ length: bucketCount }, (_, index) => `bucket-${index}`);
  const server = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default { fetch: () => new Response(null, { status: 404 }) }",
      r2Buckets: Object.fromEntries(
        buckets.map((id) => [id, { id, s3Credentials: TEST_CREDENTIALS }]),
      ),
    }),
  );
  const url = await server.ready;
  return {
    endpoint: `${url.origin}/cdn-cgi/local/r2/s3`,
    buckets,
    close: () => server.dispose(),
  };
}
