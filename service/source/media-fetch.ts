import type { ReceivedResponse } from "#service/ports/receive.ts";
import { evaluateMediaAddress } from "./media-address.ts";
import { ForeignAddress, SourceError } from "./source-error.ts";
import { connectionLost } from "./upstream-request.ts";

type MediaRequest = {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
};

/** `url` is the final address, against which relative URIs in the response resolve. */
type MediaAnswer<R> = { readonly response: R; readonly url: string };

export type MediaFetch<R = Response> = (
  address: string,
  request?: MediaRequest,
) => Promise<MediaAnswer<R>>;

/** `fetch` or `receive` of the platform. */
type Send<R> = (
  url: string,
  init: { readonly headers: Headers; readonly redirect: "manual"; readonly signal: AbortSignal },
) => Promise<R>;

/** The hosts that media may come from. */
export type MediaHosts = {
  /** As in `TWITCH_MEDIA_HOSTS`. */
  readonly names: readonly string[];
  /** The setting that lists them. */
  readonly setting: string;
  /** `try_later` where a source may move its media, so that an operator can list the new host. */
  readonly unlisted: "try_later" | "source_corrupt";
};

/** Twitch's media hosts do not redirect; a few hops are allowed, but no loop. */
const MAX_REDIRECTS = 3;

/** Timeout for the response headers; the caller has to watch the body. */
const HEAD_TIMEOUT_MS = 30_000;

/** The only headers sent to a media host: no cookie, no token. */
const PASSED_HEADERS = new Set(["accept", "accept-encoding", "range"]);

/**
 * Fetches from media hosts only and checks each redirect like a new address. Any status resolves.
 * Requests the identity encoding, so that Content-Length is the size of the body.
 * @throws {ForeignAddress} for a host that is not allowed
 * @throws {SourceError} `source_corrupt` for another address that may not be fetched, `try_later`
 *   for a broken connection
 */
export function createMediaFetch<R extends ReceivedResponse>(
  send: Send<R>,
  hosts: MediaHosts,
  headTimeoutMs = HEAD_TIMEOUT_MS,
): MediaFetch<R> {
  return async function fetchMedia(address, { signal, headers = {} } = {}) {
    const sent = new Headers({ "accept-encoding": "identity" });
    for (const [name, value] of Object.entries(headers)) {
      if (PASSED_HEADERS.has(name.toLowerCase())) sent.set(name, value);
    }
    let next = address;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const url = requireMediaAddress(next, hosts, hop > 0);
      const response = await fetchHead(send, url, sent, signal, headTimeoutMs);
      const target = redirectTarget(response, url);
      if (target === null) return { response, url };
      await response.body?.cancel();
      next = target;
    }
    throw new SourceError(
      "source_corrupt",
      `The media host redirects more than ${MAX_REDIRECTS} times.`,
    );
  };
}

function requireMediaAddress(
  address: string,
  { names, setting, unlisted }: MediaHosts,
  isRedirect: boolean,
): string {
  const verdict = evaluateMediaAddress(address, names);
  if (verdict.allowed) return verdict.url.href;
  const subject = isRedirect ? "An address that a media host redirects to" : "A media address";
  if (!verdict.isUnlisted) throw new SourceError("source_corrupt", `${subject} ${verdict.reason}.`);
  const { host } = new URL(address);
  throw new ForeignAddress(unlisted, `${subject} is on ${host}, which ${setting} does not list.`);
}

/** The timeout covers only the headers; the caller's signal also covers the body. */
async function fetchHead<R>(
  send: Send<R>,
  url: string,
  headers: Headers,
  signal: AbortSignal | undefined,
  timeoutMs: number,
): Promise<R> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), timeoutMs);
  try {
    return await send(url, {
      headers,
      redirect: "manual",
      signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (silence.signal.aborted)
      throw new SourceError(
        "try_later",
        `The media host did not respond within ${timeoutMs / 1_000} s.`,
        { cause: error },
      );
    throw connectionLost("the media host", error);
  } finally {
    clearTimeout(timer);
  }
}

function redirectTarget(response: ReceivedResponse, url: string): string | null {
  if (![301, 302, 303, 307, 308].includes(response.status)) return null;
  const location = response.headers.get("location");
  if (location === null) return null;
  return URL.parse(location, url)?.href ?? location;
}
