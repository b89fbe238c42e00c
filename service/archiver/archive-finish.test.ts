import { afterAll, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import { retryUpload } from "#service/storage/upload-actions.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";

const world = await openArchiveWorld();
afterAll(() => world.close());

async function removeSegments(vodId: string, indices: readonly number[]): Promise<void> {
  for (const segmentIndex of indices)
    await world.twitch.control.addFault({
      match: { kind: "segment", vodId, segmentIndex },
      fault: { type: "status", status: 404 },
      times: "forever",
    });
}

it("names the first gaps and counts the others, and the playlist leaves them out", async () => {
  const { vodId, uploadId } = await world.addVod({ segmentCount: 25, segmentSizeBytes: 10_000 });
  const even = Array.from({ length: 12 }, (_, index) => index * 2 + 2);
  await removeSegments(vodId, even);
  const upload = await world.archiveToEnd(uploadId);
  expect(upload).toMatchObject({ status: "failed", fileStatus: "partial" });
  expect(upload.errorMessage).toBe(
    "Twitch no longer has 00:00:20-00:00:30, 00:00:40-00:00:50, 00:01:00-00:01:10, " +
      "00:01:20-00:01:30, 00:01:40-00:01:50, 00:02:00-00:02:10, 00:02:20-00:02:30, " +
      "00:02:40-00:02:50, 00:03:00-00:03:10, 00:03:20-00:03:30 and 2 more stretches. " +
      "What there was is kept as a partial file.",
  );
  const [row] = await world.context.platform.database.all(sql`
    SELECT playlist_key FROM uploads WHERE id = ${uploadId}`);
  const playlist = await world.storedText(String(row?.playlist_key));
  expect(playlist.match(/#EXT-X-GAP/g)).toHaveLength(even.length);
});

it.for([
  ["as little as", []],
  ["less than", [1, 2]],
] as const)(
  "a retry that gets %s before keeps the partial file of the earlier run",
  async ([, alsoGone]) => {
    const { vodId, uploadId } = await world.addVod({ segmentCount: 4, segmentSizeBytes: 10_000 });
    await removeSegments(vodId, [3]);
    const first = await world.archiveToEnd(uploadId);
    await removeSegments(vodId, alsoGone);
    const atMs = world.context.platform.clock.now();
    expect(await retryUpload(world.context, { uploadId, actorId: null, atMs })).toBe("done");
    const second = await world.archiveToEnd(uploadId);
    expect([first.fileStatus, second.fileStatus]).toEqual(["partial", "partial"]);
    expect(second).toMatchObject({ fileKey: first.fileKey, processedSize: first.processedSize });
    expect(second.errorMessage).toMatch(
      /^Twitch no longer has 00:00:[13]0-00:00:40\. What there was is kept as a partial file\. Nothing more was there\.$/,
    );
    const [file] = await world.context.platform.database.all(sql`
    SELECT size_bytes FROM files WHERE upload_id = ${uploadId}`);
    expect(file?.size_bytes).toBe(first.processedSize);
  },
);
