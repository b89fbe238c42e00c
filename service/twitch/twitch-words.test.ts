import { expect, it } from "vitest";
import { quoteTwitch, readTwitchWords } from "./twitch-words.ts";

const SIGNATURE = "0123456789abcdef0123456789abcdef01234567";
const TOKEN = "q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5";

it.each([
  [
    "usher",
    '[{"error":"Manifest is restricted","error_code":"x_restricted"}]',
    " Twitch said: x_restricted Manifest is restricted.",
  ],
  [
    "the web API",
    '{"errors":[{"message":"no","extensions":{"code":"Nope"}},{"message":"b"}]}',
    " Twitch said: Nope no.",
  ],
  [
    "the web API without a code",
    '{"errors":[{"message":"failed"}],"data":null}',
    " Twitch said: failed.",
  ],
  [
    "Helix",
    '{"error":"Bad Request","status":400,"message":"Missing id"}',
    " Twitch said: Bad Request Missing id.",
  ],
  [
    "Helix twice the same",
    '{"error":"Not Found","status":404,"message":"not found"}',
    " Twitch said: Not Found.",
  ],
  [
    "sign-in",
    '{"status":403,"message":"invalid client secret"}',
    " Twitch said: invalid client secret.",
  ],
  [
    "a web page",
    "<html><head><title>Service\n Unavailable!</title>",
    " Twitch said: Service Unavailable!",
  ],
  ["plain text", "Not found\n", " Twitch said: Not found."],
  ["an unknown shape", '{"data":{"token":{"value":"secret"}}}', ""],
  ["fields of other types", '{"error":{"a":1},"message":7}', ""],
  ["cut JSON", '{"data":{"token":{"value":"secret', ""],
  ["nothing", "", ""],
])("reads %s", (_, body, quoted) => {
  expect(quoteTwitch("Refused.", readTwitchWords(body))).toBe(`Refused.${quoted}`);
});

it.each([
  ["a line break", "a\r\nb\u0000c", "a b c"],
  ["a bidi override", "a\u202Eb\u2066c\u200B", "abc"],
  ["half a character", "a\ud800", "a\ufffd"],
  ["a signature", `bad sig ${SIGNATURE}`, "bad sig [masked]"],
  ["a token", `bad token ${TOKEN}`, "bad token [masked]"],
  ["a token cut by a hidden character", `${TOKEN.slice(0, 9)}\u200B${TOKEN.slice(9)}`, "[masked]"],
  [
    "a signed address",
    "see https://a.example/b.ts?sig=12&x=y#z now",
    "see https://a.example/b.ts now",
  ],
  [
    "a long identifier",
    "viewer_is_not_entitled_to_this_video",
    "viewer_is_not_entitled_to_this_video",
  ],
])("cleans %s", (_, text, cleaned) => {
  expect(quoteTwitch("", { code: "", text })).toBe(` Twitch said: ${cleaned}.`);
});

it("cuts long texts to 200 characters", () => {
  const quoted = quoteTwitch("", { code: "code", text: "many words ".repeat(1_000) });
  expect(quoted).toMatch(/^ Twitch said: code many words .*…$/);
  expect(quoted).toHaveLength(" Twitch said: ".length + 200);
});
