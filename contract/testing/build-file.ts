import { storedFileSchema, type StoredFile } from "../files.ts";
import { build } from "./build.ts";

let counter = 0;

const PLAIN = build(storedFileSchema);

/** A complete archive that is valid by the contract. */
export function buildFile(
  overrides: Partial<Omit<StoredFile, "key">> & { key?: string } = {},
): StoredFile {
  counter += 1;
  return storedFileSchema.parse({
    ...PLAIN,
    key: `vods/1/2/file${counter}.ts`,
    filename: `streamer-${counter}.ts`,
    size: 1_536,
    username: "streamer",
    userId: "1",
    vodId: "2",
    chatState: { state: "none", untilSec: null, shortSeconds: [] },
    ...overrides,
  });
}
