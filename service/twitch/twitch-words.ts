import * as z from "zod/mini";
import { foreignWords } from "#service/secrets/foreign-words.ts";
import { parseJson } from "#service/parse-json.ts";

/** What Twitch said in an answer that refuses something. Either may be empty. */
export type TwitchWords = {
  /** An identifier, such as `vod_manifest_restricted`; it changes less often than the text. */
  readonly code: string;
  readonly text: string;
};

/** Read from a body; longer texts are pages for people. */
const MAX_READ_LENGTH = 2_000;

/** Empty unless it is text. */
const word = z.pipe(
  z.optional(z.unknown()),
  z.transform((value) => (typeof value === "string" ? value : "")),
);

/** Helix, sign-in and web API: `error`, `message`. Usher: `error_code`, `error`. */
const errorSchema = z.object({
  error_code: word,
  error: word,
  message: word,
  /** The code inside. */
  extensions: z.pipe(
    z.optional(z.unknown()),
    z.transform((value) => z.safeParse(z.object({ code: word }), value).data?.code ?? ""),
  ),
});

/** One error, or a list of them: bare at usher, under `errors` in the web API. */
const bodySchema = z.union([
  z.array(errorSchema),
  z.pipe(
    z.object({ errors: z.array(errorSchema) }),
    z.transform(({ errors }) => errors),
  ),
  z.pipe(
    errorSchema,
    z.transform((error) => [error]),
  ),
]);

/** Reads the words of an answer in any form that Twitch uses, or the title of a web page. */
export function readTwitchWords(body: string): TwitchWords {
  const error = parseJson(bodySchema, body)?.[0];
  if (error === undefined) return { code: "", text: readPlainText(body) };
  const { error_code, extensions, message } = error;
  const named = message === "" ? "" : error.error;
  return { code: error_code || extensions || named, text: message || error.error };
}

/**
 * Appends what Twitch said to a sentence, if it said anything: "… Twitch said: <code> <text>."
 */
export function quoteTwitch(sentence: string, { code, text }: TwitchWords): string {
  const words = foreignWords(text.toLowerCase() === code.toLowerCase() ? code : `${code} ${text}`);
  if (words === "") return sentence;
  return `${sentence} Twitch said: ${words}${/[.!?…]$/.test(words) ? "" : "."}`;
}

/** Cut JSON is not quoted: it may contain a token that no pattern recognizes. */
function readPlainText(body: string): string {
  const text = body.slice(0, MAX_READ_LENGTH).trim();
  if (/^[[{]/.test(text)) return "";
  if (text.startsWith("<")) return /<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? "";
  return text;
}
