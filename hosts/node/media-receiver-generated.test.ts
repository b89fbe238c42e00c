import { Agent, request } from "node:http";
import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import { isDirectBody } from "#service/ports/receive.ts";
import { createMediaReceiver } from "./media-receiver.ts";
import { startRawOrigin, writeInPieces, type RawOrigin } from "./testing/raw-origin.ts";

/** A few thousand find frequent mistakes; `npm run test:deep` sends all of them. */
const RUNS = 40_000 * Number(process.env["SHARE_OF_RUNS"] ?? 1);

/** Explored at the same time, because each exchange mostly waits for the event loop. */
const ORIGINS = 20;

const BODY = "0123456789abcdef";

type Generated = { readonly text: string; readonly cuts: readonly number[] };

/** What a client makes of a response. `body` is null if it broke off, or is not of interest. */
type Understood = {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | null;
};

const origins: RawOrigin[] = [];

afterEach(async () => {
  await Promise.all(origins.map(async (origin) => origin.close()));
});

function oneOf(usual: readonly string[], unusual: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...unusual) },
  );
}

const statusLines = oneOf(
  ["HTTP/1.1 200 OK", "HTTP/1.1 206 Partial Content"],
  [
    ..."HTTP/1.1 200|HTTP/1.1 404 Not Found|HTTP/1.1 503 |HTTP/1.1 302 Found".split("|"),
    ..."HTTP/1.1 204 No Content|HTTP/1.1 100 Continue|HTTP/1.1 304 Not Modified".split("|"),
    ..."HTTP/1.0 200 OK|HTTP/2 200 OK|http/1.1 200 OK|HTTP/1.1 2000 OK|HTTP/1.1  200 OK".split("|"),
    ..."HTTP/1.1 200 \u0000|HTTP/1.1 20 OK||ICY 200 OK| HTTP/1.1 200 OK".split("|"),
  ],
);

const lengths = oneOf(
  [`Content-Length: ${BODY.length}`],
  [
    ..."content-length: 0|Content-Length: 15|Content-Length: 17|CONTENT-LENGTH:16".split("|"),
    ..."Content-Length: +16|Content-Length: -1|Content-Length: 16, 16|Content-Length: 0x10".split(
      "|",
    ),
    ..."Content-Length : 16|Content-Length: 1e1| Content-Length: 16|X: none|Content-Length:".split(
      "|",
    ),
    ..."Content-Length: 99999999999999999999|Content-Length: \t16 \t|Content-Length: 016".split(
      "|",
    ),
  ],
);

const otherHeaders = oneOf(
  'ETag: "a"|Set-Cookie: a=1|Set-Cookie: b=2|X-Latin: \u00E9|X-Empty:|X: a\tb|Via: 1.1 a'.split(
    "|",
  ),
  [
    ..."Content-Encoding: identity|Content-Encoding: gzip|Transfer-Encoding: chunked".split("|"),
    ..."Connection: close|Connection: keep-alive|Connection: Keep-Alive, X".split("|"),
    ..."Content-Length: 16|X: a\nb|X: a\rb|X: \u0000|no colon|: no name|X Y: 1|\tfolded".split("|"),
  ],
);

/** Whole, truncated and too long bodies, and a second response without a second request. */
const contents = oneOf(
  [BODY],
  [
    "",
    BODY.slice(1),
    `${BODY}x`,
    `${BODY}\r\n`,
    `10\r\n${BODY}\r\n0\r\n\r\n`,
    `${BODY}HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx`,
  ],
);

const generated: fc.Arbitrary<Generated> = fc
  .tuple(
    fc.tuple(statusLines, lengths, fc.array(otherHeaders, { maxLength: 4 })),
    oneOf(["\r\n"], ["\n", "\r", "\r\r\n"]),
    contents,
    fc.array(fc.nat(160), { maxLength: 4 }),
  )
  .map(([[status, length, others], lineEnd, content, cuts]) => ({
    text: [status, length, ...others, "", ""].join(lineEnd) + content,
    cuts,
  }));

/** Null if the receiver asks again with `fetch`; "failed" without a response. */
async function receiveDirectly(url: string): Promise<Understood | "failed" | null> {
  let isAskedAgain = false;
  const receiver = createMediaReceiver(async () => {
    isAskedAgain = true;
    return new Response();
  });
  try {
    const { status, headers, body } = await receiver.receive(url, {
      headers: new Headers(),
      redirect: "manual",
      signal: new AbortController().signal,
    });
    if (isAskedAgain) return null;
    const target = Buffer.alloc(body !== null && isDirectBody(body) ? body.sizeBytes % 1_000 : 0);
    const isWhole =
      body !== null &&
      isDirectBody(body) &&
      (await body
        .receive(target, () => undefined)
        .then(
          () => true,
          () => false,
        ));
    return { status, headers: [...headers], body: isWhole ? target.toString("latin1") : null };
  } catch {
    return "failed";
  } finally {
    receiver.close();
  }
}

async function receiveWithNode(url: string): Promise<Understood | "failed"> {
  const agent = new Agent({ keepAlive: true });
  const outcome = await new Promise<Understood | "failed">((resolve) => {
    const sent = request(url, { agent }, (response) => {
      const headers = new Headers();
      for (let at = 0; at < response.rawHeaders.length; at += 2)
        headers.append(response.rawHeaders[at] ?? "", response.rawHeaders[at + 1] ?? "");
      const head = { status: response.statusCode ?? 0, headers: [...headers] };
      let body = "";
      response.setEncoding("latin1");
      response.on("data", (text: string) => (body += text));
      response.on("end", () => resolve({ ...head, body }));
      response.on("error", () => resolve({ ...head, body: null }));
    });
    sent.on("error", () => resolve("failed"));
    sent.end();
  });
  agent.destroy();
  return outcome;
}

/** The receiver does not read bodies of other statuses, which may make `node:http` fail. */
function isAlike(direct: Understood | "failed", reference: Understood | "failed"): boolean {
  if (direct === "failed" || reference === "failed")
    return direct === reference || (direct !== "failed" && !hasBody(direct));
  return isDeepStrictEqual(direct, hasBody(direct) ? reference : { ...reference, body: null });
}

const hasBody = ({ status }: Understood) => status === 200 || status === 206;

/** Explores responses of one origin. Returns how many were received directly. */
async function explore(runs: number): Promise<number> {
  let direct = 0;
  let next: Generated = { text: "", cuts: [] };
  const origin = await startRawOrigin(async (socket) => {
    await writeInPieces(socket, Buffer.from(next.text, "latin1"), next.cuts);
    socket.end();
  });
  origins.push(origin);
  await fc.assert(
    fc.asyncProperty(generated, async (response) => {
      next = response;
      const received = await receiveDirectly(origin.url);
      if (received === null) return true;
      direct += 1;
      // Surplus bytes make node:http fail if they arrive together with the body.
      const bodyStart = response.text.indexOf("\r\n\r\n") + 4;
      if (received !== "failed" && received.body !== null)
        next = { ...response, text: response.text.slice(0, bodyStart + received.body.length) };
      return isAlike(received, await receiveWithNode(origin.url));
    }),
    { numRuns: runs },
  );
  return direct;
}

it(
  "parses responses like node:http, or requests them again with fetch",
  { timeout: 1_200_000 },
  async () => {
    const shares = Array.from({ length: ORIGINS }, async () => explore(RUNS / ORIGINS));
    const direct = (await Promise.all(shares)).reduce((sum, share) => sum + share, 0);
    expect(direct).toBeGreaterThan(RUNS / 5);
  },
);
