import { createHash } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";
import { getFileProof, type ObjectKey } from "#contract/files.ts";
import { call, type Connection } from "./call.ts";

const READ_BYTES = 1 << 20;

/** What was proved of a stored file. Without parts it can't be compared. */
export type Proof = {
  readonly sizeBytes: number;
  readonly partSizeBytes: number;
  readonly partSha256: readonly string[];
};

export async function readProof(
  connection: Connection,
  file: { readonly key: ObjectKey; readonly size: number },
): Promise<Proof> {
  const proof = await call(connection, getFileProof, { params: { key: file.key } });
  return { ...proof, sizeBytes: file.size };
}

/** The bytes of a proved part, numbered from 0; the last may be shorter. */
export function partEnd({ partSizeBytes, sizeBytes }: Proof, part: number): number {
  return Math.min((part + 1) * partSizeBytes, sizeBytes);
}

/** How many bytes at the start of a file are those of whole proved parts. */
export async function countRightBytes(handle: FileHandle, proof: Proof): Promise<number> {
  const buffer = Buffer.alloc(READ_BYTES);
  let offset = 0;
  for (const [part, expected] of proof.partSha256.entries()) {
    const hash = createHash("sha256");
    let at = offset;
    const end = partEnd(proof, part);
    while (at < end) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(READ_BYTES, end - at), at);
      if (bytesRead === 0) return offset;
      hash.update(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
    if (hash.digest("hex") !== expected) return offset;
    offset = end;
  }
  return offset;
}

export async function isRight(path: string, proof: Proof): Promise<boolean> {
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    if (size !== proof.sizeBytes) return false;
    return (await countRightBytes(handle, proof)) === size;
  } finally {
    await handle.close();
  }
}

/** False for files without a manifest. */
export function isProved({ sizeBytes, partSizeBytes, partSha256 }: Proof): boolean {
  return partSizeBytes > 0 && partSha256.length === Math.ceil(sizeBytes / partSizeBytes);
}
