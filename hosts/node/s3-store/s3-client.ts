import { AwsV4Signer } from "aws4fetch";
import type { Clock } from "#service/ports/clock.ts";
import { StoreError } from "#service/ports/object-store.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
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
  /** Of temporary credentials. */
  readonly sessionToken?: string;
};

export type S3Request = {
  /** For messages: what is being done, e.g. "Writing a part". */
  readonly doing: string;
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Without the address's prefix. Null: the bucket itself. */
  readonly key: string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Of one try, until its headers are there. */
  readonly timeoutMs?: number;
  /** Statuses to return beside the successful ones instead of throwing. */
  readonly expected?: readonly number[];
};

/** @throws {StoreError} when the server refuses, or is not to be had after {@link TRIES} tries. */
export type S3Client = (request: S3Request) => Promise<Response>;

/** Waits of about 0.2, 0.4 and 0.8 s: past a hiccup; longer trouble is for the caller's patience. */
const TRIES = 4;
const FIRST_WAIT_MS = 200;

/** A 32 MiB part at 0.3 MB/s. */
const BODY_TIMEOUT_MS = 120_000;

/** A request without a body is sent at once, and a store that works answers it in a second. */
const TIMEOUT_MS = 15_000;

type S3ClientOptions = {
  readonly address: S3Address;
  readonly credentials: S3Credentials;
  readonly fetch: OutgoingFetch;
  readonly clock: Clock;
  readonly random: Random;
};

/**
 * Signed requests (AWS signature version 4). The body itself is not part of the signature, so that
 * it is not hashed a second time: `Content-MD5`, which is signed, vouches for it.
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
    if (!done.aborted) timeout.abort(new AnswerTimeout(`No answer within ${limitMs / 1_000} s`));
  }

  /** One try: the answer, or why it may be worth another. */
  async function attempt(request: S3Request): Promise<Response | S3Failure> {
    let response: Response;
    try {
      response = await send(request);
    } catch (error) {
      return readLoss(error);
    }
    if (response.ok || request.expected?.includes(response.status) === true) return response;
    // The status alone says something, should the rest break off.
    const body = await response.text().catch(() => "");
    return readFailure(response.status, response.headers, body);
  }

  return async (request) => {
    for (let tries = 1; ; tries++) {
      const outcome = await attempt(request);
      if (outcome instanceof Response) return outcome;
      if (tries === TRIES || !isWorthRepeating(outcome)) throw toStoreError(request.doing, outcome);
      await clock.sleep(FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + randomFraction(random)));
    }
  };
}

/** Why there was no answer, e.g. "connect ECONNREFUSED 127.0.0.1:9000". */
function readLoss(error: unknown): S3Failure {
  const reason = error instanceof Error ? (error.cause ?? error) : error;
  if (!(reason instanceof Error)) return noAnswer(String(reason), false);
  const code = "code" in reason ? String(reason.code) : "";
  // Of several addresses tried only the code is told.
  return noAnswer(reason.message === "" ? code : reason.message, code.endsWith("TIMEOUT"));
}

/** Undici's own errors carry such codes as well. */
class AnswerTimeout extends Error {
  readonly code = "ANSWER_TIMEOUT";
}

/** Some calls answer 200 first and their failure afterwards, in the body. */
export async function readXmlAnswer(doing: string, response: Response): Promise<string> {
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    throw new StoreError("unavailable", `${doing}: the answer broke off`, { cause: error });
  }
  if (!/<Error[\s>]/.test(text)) return text;
  throw toStoreError(doing, readFailure(500, null, text));
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

function randomFraction(random: Random): number {
  return (random.bytes(1)[0] ?? 0) / 256;
}
