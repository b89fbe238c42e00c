import { afterAll, expect, it } from "vitest";
import { uploadIdSchema } from "#contract/ids.ts";
import { createLeaseThief, type LeaseThief } from "#service/testing/lease-thief.ts";
import { randomBytes } from "#service/testing/random-bytes.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { createTusUpload, sendTusBytes } from "#service/testing/tus-requests.ts";

let thief: LeaseThief | undefined;
const vodkeep = await startTestService({
  changePlatform(platform) {
    thief = createLeaseThief(platform.database);
    return { ...platform, database: thief.database };
  },
});
afterAll(() => vodkeep.close());

const MIB = 1024 * 1024;
/** A piece, a part and another piece. */
const BODIES = [randomBytes(MIB), randomBytes(8 * MIB), randomBytes(MIB)];

it("whichever write of a manual upload finds its lease lost, it changes no row", async () => {
  const sender = await vodkeep.signIn(ADMIN);
  const robbed: string[] = [];
  for (;;) {
    const created = await createTusUpload(sender, { "upload-length": String(10 * MIB) });
    const path = created.headers.get("location") ?? "";
    const uploadId = uploadIdSchema.parse(path.slice(path.lastIndexOf("/") + 1));
    thief?.arm(uploadId);
    let offset = 0;
    for (const body of BODIES) {
      await sendTusBytes(sender, path, offset, body);
      offset += body.byteLength;
    }
    await vodkeep.service.consume({ uploadId });
    const theft = thief?.theft();
    if (theft === undefined) break;
    robbed.push(theft.write);
    expect({ write: theft.write, rows: theft.after }).toEqual({
      write: theft.write,
      rows: theft.before,
    });
  }
  for (const change of ["INTO incomplete_parts", "INTO upload_parts", "status = 'completed'"])
    expect(robbed.some((write) => write.includes(change))).toBe(true);
});
