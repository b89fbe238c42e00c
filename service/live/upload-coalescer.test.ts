import * as fc from "fast-check";
import { expect, test } from "vitest";
import { uploadStreamMessageSchema, type UploadStreamMessage } from "#contract/upload-stream.ts";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { UploadCoalescer } from "./upload-coalescer.ts";

type Step = { readonly afterMs: number; readonly upload: number; readonly ends: boolean };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 0, max: 400 }),
    upload: fc.integer({ min: 0, max: 3 }),
    ends: fc.boolean(),
  }),
  { maxLength: 60 },
);

type Sent = { readonly atMs: number; readonly id: number; readonly message: UploadStreamMessage };

/** Runs the steps as a stream does: held messages are sent when they are due. */
function play(all: readonly Step[]): { sent: Sent[]; published: UploadStreamMessage[] } {
  const coalescer = new UploadCoalescer(0);
  const sent: Sent[] = [];
  const published: UploadStreamMessage[] = [];
  let nowMs = 0;
  const note = (messages: readonly { id: number; json: string }[]) => {
    for (const { id, json } of messages)
      sent.push({ atMs: nowMs, id, message: uploadStreamMessageSchema.parse(JSON.parse(json)) });
  };
  const waitUntil = (untilMs: number) => {
    for (
      let due = coalescer.nextDueMs();
      due !== null && due <= untilMs;
      due = coalescer.nextDueMs()
    ) {
      nowMs = due;
      note(coalescer.takeDue(nowMs));
    }
    nowMs = untilMs;
  };
  all.forEach(({ afterMs, upload, ends }, index) => {
    waitUntil(nowMs + afterMs);
    const message: UploadStreamMessage = {
      type: "upload_update",
      upload: buildUpload({
        id: `u${upload}`,
        version: index + 1,
        status: ends ? "completed" : "processing",
      }),
    };
    published.push(message);
    note(coalescer.take({ id: index + 1, data: JSON.stringify(message) }, message, nowMs));
  });
  waitUntil(nowMs + 1_000);
  return { sent, published };
}

function updates(messages: readonly UploadStreamMessage[], id: string) {
  return messages.flatMap((message) =>
    message.type === "upload_update" && message.upload.id === id ? [message.upload] : [],
  );
}

test("the newest version of every upload is sent, and versions never decrease", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const { sent, published } = play(all);
      const messages = sent.map(({ message }) => message);
      for (const id of ["u0", "u1", "u2", "u3"]) {
        const versions = updates(messages, id).map(({ version }) => version);
        expect(versions).toEqual(versions.toSorted((left, right) => left - right));
        expect(versions.at(-1)).toBe(updates(published, id).at(-1)?.version);
      }
    }),
  );
});

test("an upload's progress is sent at most twice a second, and every completion is sent", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const { sent, published } = play(all);
      const ends = published.filter(
        (one) => one.type === "upload_update" && one.upload.status === "completed",
      );
      const sentEnds = sent.filter(
        ({ message }) => message.type === "upload_update" && message.upload.status === "completed",
      );
      expect(sentEnds).toHaveLength(ends.length);
      for (const id of ["u0", "u1", "u2", "u3"]) {
        const own = sent.filter(
          ({ message }) => message.type === "upload_update" && message.upload.id === id,
        );
        const times = own.map(({ atMs }) => atMs);
        const tooSoon = own.filter(
          ({ message, atMs }, index) =>
            message.type === "upload_update" &&
            message.upload.status === "processing" &&
            atMs - (times[index - 1] ?? -Infinity) < 500,
        );
        expect(tooSoon).toEqual([]);
      }
    }),
  );
});

test("resuming from any event id delivers the newest version of every upload", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const { sent, published } = play(all);
      sent.forEach(({ id }, index) => {
        const delivered = sent.slice(0, index + 1).map(({ message }) => message);
        const replayed = published.slice(id);
        for (const upload of ["u0", "u1", "u2", "u3"]) {
          const seen = updates([...delivered, ...replayed], upload).map(({ version }) => version);
          expect(Math.max(0, ...seen)).toBe(updates(published, upload).at(-1)?.version ?? 0);
        }
      });
    }),
    { numRuns: 500 },
  );
});
