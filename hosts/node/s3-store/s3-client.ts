import { AwsV4Signer } from "aws4fetch";
import type { Clock } from "#service/ports/clock.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import { jitter } from "#service/jitter.ts";
import type { Random } from "#service/ports/random.ts";
import type { S3Address } from "./s3-address.ts";
import {
  type S3Failure,
  isWorthRepeating,
  noAnswer,
  readFailure,
  toStoreError,
} from "./s3-error.ts";

export type S3Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** For temporary credentials. */
  readonly sessionToken?: string;
};

export type S3Request = {
  /** For error messages, for example "Writing a part". */
  readonly doing: string;
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Without the address's prefix. Null: the bucket itself. */
  readonly key: string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** For one attempt, until the response headers arrive. */
  readonly timeoutMs?: number;
  /** Error statuses to return instead of throwing. */
  readonly expected?: readonly number[];
};

/** @throws {StoreError} when the server refuses, or is unavailable after {@link TRIES} attempts */
export type S3Client = (request: S3Request) => Promise<Response>;

/** Delays of about 0.2, 0.4 and 0.8 s, for short failures; callers handle longer ones. */
const TRIES = 4;
const FIRST_WAIT_MS = 200;

/** A 32 MiB part at 0.3 MB/s. */
const BODY_TIMEOUT_MS = 120_000;

/** A request without a body is sent at once, and a healthy store answers within a second. */
const TIMEOUT_MS = 15_000;

type S3ClientOptions = {
  readonly address: S3Address;
  readonly credentials: S3Credentials;
  readonly fetch: OutgoingFetch;
  readonly clock: Clock;
  readonly random: Random;
};

/**
 * Sends signed requests (AWS signature version 4). The signature does not include the body's hash,
 * to avoid hashing it twice: the signed `Content-MD5` protects it.
 */
export function createS3Client(options: S3ClientOptions): S3Client {
  const { address, credentials, clock, random } = options;

  async function send(request: S3Request): Promise<Response> {
    const signer = new AwsV4Signer({
      ...credentials,
      service: "s3",
      region: address.region,
      method: request.method,
      url: toUrl(address, request),
      headers: { ...request.headers },
    });
    const { url, headers } = await signer.sign();
    const timeout = new AbortController();
    const done = new AbortController();
    const limitMs =
      request.timeoutMs ?? (request.body === undefined ? TIMEOUT_MS : BODY_TIMEOUT_MS);
    void abortAfter(timeout, limitMs, done.signal);
    try {
      return await options.fetch(url.href, {
        method: request.method,
        headers,
        signal: timeout.signal,
        ...(request.body === undefined ? {} : { body: toBytes(request.body) }),
      });
    } finally {
      done.abort();
    }
  }

  async function abortAfter(
    timeout: AbortController,
    limitMs: number,
    done: AbortSignal,
  ): Promise<void> {
    await clock.sleep(limitMs, done);
    if (!done.aborted) timeout.abort(new AnswerTimeout(`No response within ${limitMs / 1_000} s`));
  }

  /** One attempt: the response, or a failure that may be retried. */
  async function attempt(request: S3Request): Promise<Response | S3Failure> {
    let response: Response;
    try {
      response = await send(request);
    } catch (error) {
      return readLoss(error);
    }
    if (response.ok || request.expected?.includes(response.status) === true) return response;
    // The status alone is enough if the body cannot be read.
    const body = await response.text().catch(() => "");
    return readFailure(response.status, response.headers, body);
  }

  return async (request) => {
    for (let tries = 1; ; tries++) {
      const outcome = await attempt(request);
      if (outcome instanceof Response) return outcome;
      if (tries === TRIES || !isWorthRepeating(outcome)) throw toStoreError(request.doing, outcome);
      await clock.sleep(FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + jitter(random)));
    }
  };
}

/** The reason for a missing response, for example "connect ECONNREFUSED 127.0.0.1:9000". */
function readLoss(error: unknown): S3Failure {
  const reason = error instanceof Error ? (error.cause ?? error) : error;
  if (!(reason instanceof Error)) return noAnswer(String(reason), false);
  const code = "code" in reason ? String(reason.code) : "";
  // When several addresses failed, there is only a code.
  return noAnswer(reason.message === "" ? code : reason.message, code.endsWith("TIMEOUT"));
}

/** Undici's own errors have such codes as well. */
class AnswerTimeout extends Error {
  readonly code = "ANSWER_TIMEOUT";
}

export function toUrl(
  { endpoint, bucket, prefix }: S3Address,
  { key, query }: Pick<S3Request, "key" | "query">,
): string {
  const url = new URL(`${endpoint}/${bucket}${key === null ? "" : `/${prefix}${key}`}`);
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
  return url.href;
}

function toBytes(body: Uint8Array | string): Uint8Array {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}
