import { isDirectBody, type ReceivedResponse } from "#service/ports/receive.ts";
import { foreignWords } from "#service/secrets/foreign-words.ts";

/**
 * What a media host means by 401, 403, 404 or 410 (docs/twitch.md#cdn):
 * - `absent`: its store has no such object;
 * - `blocked`: it does not serve this service, or not now. Nothing is known about the object.
 */
export type Refusal = {
  readonly meaning: "absent" | "blocked";
  /** What the host said, as one line of plain text; may be empty. */
  readonly words: string;
};

/** Error documents and block pages have less than 2 kB; the rest of a larger body is not read. */
const MAX_READ_BYTES = 4_096;

/** S3 answers AccessDenied for an absent object, unless the caller may list the bucket. */
const NO_SUCH_OBJECT =
  /^\s*(?:<\?xml[^>]{0,100}\?>\s*)?<Error>.{0,400}?<Code>(?:AccessDenied|NoSuchKey)<\/Code>/s;

export function isRefusal(status: number): boolean {
  return [401, 403, 404, 410].includes(status);
}

/** Reads the refusal's body, at most a few kilobytes, and closes it. Rejects like the body. */
export async function readRefusal({ status, body }: ReceivedResponse): Promise<Refusal> {
  const text = new TextDecoder().decode(await readBeginning(body));
  const isAbsent = status === 404 || status === 410 || NO_SUCH_OBJECT.test(text);
  return { meaning: isAbsent ? "absent" : "blocked", words: plainWords(text) };
}

/** The sentence for an operator. `subject` begins it: "The media host", "Twitch's media host". */
export function blockedSentence(
  subject: string,
  address: string,
  status: number,
  { words }: Refusal,
): string {
  const said = words === "" ? "" : `: ${words}`;
  const end = /[.!?…]$/.test(said) ? "" : ".";
  return `${subject} ${new URL(address).host} refuses this service (${status})${said}${end}`;
}

async function readBeginning(body: ReceivedResponse["body"]): Promise<Uint8Array> {
  const beginning = new Uint8Array(MAX_READ_BYTES);
  if (body === null || isDirectBody(body)) {
    await body?.cancel();
    return beginning.subarray(0, 0);
  }
  const reader = body.getReader();
  let filled = 0;
  while (filled < MAX_READ_BYTES) {
    const { done, value } = await reader.read();
    if (done) break;
    const fitting = value.subarray(0, MAX_READ_BYTES - filled);
    beginning.set(fitting, filled);
    filled += fitting.byteLength;
  }
  await reader.cancel();
  return beginning.subarray(0, filled);
}

function plainWords(text: string): string {
  return foreignWords(
    text
      .replaceAll(/<(?:style|script)\b.*?<\/(?:style|script)>/gis, " ")
      .replaceAll(/<[^<>]*>/g, " "),
  );
}
