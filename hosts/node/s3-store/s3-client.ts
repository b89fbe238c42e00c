import { AwsV4Signer } from "aws4fetch";
import type { Clock } from "#service/ports/clock.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import { type Backoff, backoffMs } from "#service/jobs/backoff.ts";
import type { Random } from "#service/ports/random.ts";
import type { S3Address } from "./s3-address.ts";
import {
  S3Failure,
  isWorthRepeating,
  noAnswer,
  notTheStore,
  readFailure,
  toStoreError,
} from "./s3-error.ts";

export type S3Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** For temporary credentials. */
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
  /** For one attempt. */
  readonly timeoutMs?: number;
  /** Error statuses, or codes of S3, to return instead of throwing; their body is not returned. */
  readonly expected?: readonly (number | string)[];
};

export type S3Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

/**
 * Both throw {@link StoreError} when the server refuses, or is unavailable after {@link TRIES}
 * attempts. The time limit covers what they wait for.
 */
export type S3Client = {
  /** The response, with its body still to come. */
  open(request: S3Request): Promise<Response>;
  /** The whole answer, whose document is a `root` element or empty: anything else is not a store's. */
  read(request: S3Request & { readonly root?: string }): Promise<S3Answer>;
};

/** A list of a thousand keys has less than 1 MB; one of ten thousand parts, 2 MB. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Delays of about 0.2, 0.4 and 0.8 s, for short failures; callers handle longer ones. */
const TRIES = 4;
const BACKOFF: Backoff = { firstDelayMs: 300, longestDelayMs: 1_200 };

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

  const secrets = Object.values(credentials);

  /** Runs `receive` on the response, under the request's time limit. */
  async function send<T>(
    request: S3Request,
    receive: (response: Response) => Promise<T>,
  ): Promise<T> {
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
      const response = await options.fetch(url.href, {
        method: request.method,
        headers,
        signal: timeout.signal,
        ...(request.body === undefined ? {} : { body: toBytes(request.body) }),
      });
      return await receive(response);
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

  /** One attempt: the answer that is wanted, or a failure that may be retried. */
  async function attempt<T>(
    request: S3Request,
    accept: (response: Response) => Promise<T | S3Failure>,
  ): Promise<T | S3Failure> {
    return await send(request, async (response) => {
      const { status, headers } = response;
      if (response.ok) return await accept(response);
      // The status alone is enough if the body cannot be read.
      const text = await readText(response).catch(() => "");
      const failure = readFailure(status, headers, hideSecrets(text));
      const isExpected = request.expected?.some((each) => each === status || each === failure.code);
      return isExpected === true ? await accept(new Response(null, { status, headers })) : failure;
    }).catch(readLoss);
  }

  async function call<T>(
    request: S3Request,
    accept: (response: Response) => Promise<T | S3Failure>,
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      const outcome = await attempt(request, accept);
      if (!(outcome instanceof S3Failure)) return outcome;
      if (tries === TRIES || !isWorthRepeating(outcome)) throw toStoreError(request.doing, outcome);
      await clock.sleep(backoffMs(BACKOFF, tries, random));
    }
  }

  function hideSecrets(text: string): string {
    return secrets.reduce((hidden, secret) => hidden.replaceAll(secret, "[masked]"), text);
  }

  return {
    open: (request) => call(request, (response) => Promise.resolve(response)),
    read: (request) =>
      call(request, async (response) => {
        const { status, headers } = response;
        const text = await readText(response);
        // Some operations return 200 and later report their failure in the body.
        if (/<Error[\s>]/.test(text)) return readFailure(500, null, hideSecrets(text));
        const isRight =
          request.root === undefined ? text === "" : text.includes(`<${request.root}`);
        return !response.ok || isRight ? { status, headers, text } : notTheStore(status);
      }),
  };
}

/** Rejects for an endless body. */
async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_ANSWER_BYTES) throw new Error("The answer has no end");
  }
  return text + decoder.decode();
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

function toUrl(
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
