import process from "node:process";
import { objectKeySchema } from "#contract/files.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { createByteThreads } from "../byte-threads.ts";
import { openFolderStore } from "../folder-store/folder-store.ts";
import { PART_BYTES, partBytes } from "./crash-pattern.ts";

/**
 * Stores objects in a folder one after another until it is killed, and prints what the store
 * confirmed.
 */
const [root = "", firstNumber = "0"] = process.argv.slice(2);
const objects = await openFolderStore({
  root,
  threads: createByteThreads(),
  clock: systemClock,
});
const say = (line: Record<string, unknown>): void =>
  void process.stdout.write(`${JSON.stringify(line)}\n`);

for (let number = Number(firstNumber); ; number++) {
  const key = objectKeySchema.parse(`vods/${number % 3}/${number}.ts`);
  const handle = await objects.createMultipart(key, {
    contentType: "video/mp2t",
    metadata: { number: String(number) },
  });
  say({ did: "create", ...handle });
  const send = async (partNumber: number, sizeBytes: number) => {
    const part = await objects.uploadPart(
      handle,
      partNumber,
      partBytes(number, partNumber, sizeBytes),
    );
    say({ did: "part", ...handle, ...part });
    return part;
  };
  const parts = [
    ...(await Promise.all([send(1, PART_BYTES), send(2, PART_BYTES)])),
    await send(3, 999),
  ];
  // Sent twice, as a resumed archive does.
  await send(2, PART_BYTES);
  await objects.completeMultipart(handle, parts);
  say({ did: "complete", ...handle });
}
