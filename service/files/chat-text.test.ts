import { expect, test } from "vitest";
import { chatText } from "./chat-text.ts";

const comment = (offset: number, name: string | null, body: string, rest: object = {}) =>
  JSON.stringify({
    content_offset_seconds: offset,
    commenter: name === null ? null : { display_name: name },
    message: { body, ...rest },
  });

const REPLAY = `{"streamer":{},"comments":[
${comment(0, "雲の上", "first!")},
${comment(3_723.9, null, "a\nb\u0000\u202Ec \u{1F468}\u200D\u{1F469}")},
not a comment,
{"content_offset_seconds":"soon","message":{}},
${comment(90_000, "<b>", "", { fragments: [{ text: "Kappa", emoticon: { emoticon_id: "25" } }, { text: " 1" }] })}
],"embeddedData":null}
`;

test.each([1, 7, 100_000])(
  "a replay read %i bytes at a time becomes one line per comment",
  async (size) => {
    const bytes = new TextEncoder().encode(REPLAY);
    let at = 0;
    const json = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) controller.close();
        else controller.enqueue(bytes.subarray(at, (at += size)));
      },
    });
    expect(await new Response(chatText(json)).text()).toBe(
      [
        "[0:00:00] 雲の上: first!",
        "[1:02:03] (deleted user): a\uFFFDb\uFFFD\uFFFDc \u{1F468}\u200D\u{1F469}",
        "[25:00:00] <b>: Kappa 1",
        "",
      ].join("\n"),
    );
  },
);
