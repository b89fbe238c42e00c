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
  let offset = 0;
  for (const [part, expected] of proof.partSha256.entries()) {
    const end = partEnd(proof, part);
    if ((await hashRange(handle, offset, end)) !== expected) return offset;
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

/** Of the proof's numbers and digests: enough to prove a copy without the service. */
export function digestOf({ sizeBytes, partSizeBytes, partSha256 }: Proof): string {
  const digest = createHash("sha256").update(partSha256.join("\n")).digest("hex");
  return `${sizeBytes} ${partSizeBytes} ${digest}`;
}

/** Whether the file at `path` has the digest that `digestOf` made of a proof. */
export async function hasDigest(path: string, digest: string): Promise<boolean> {
  const [sizeBytes = 0, partSizeBytes = 0] = digest.split(" ").map(Number);
  const handle = await open(path, "r");
  try {
    if ((await handle.stat()).size !== sizeBytes) return false;
    const partSha256: string[] = [];
    for (let offset = 0; offset < sizeBytes; offset += partSizeBytes) {
      const end = Math.min(offset + partSizeBytes, sizeBytes);
      const sha256 = await hashRange(handle, offset, end);
      if (sha256 === null) return false;
      partSha256.push(sha256);
    }
    return digestOf({ sizeBytes, partSizeBytes, partSha256 }) === digest;
  } finally {
    await handle.close();
  }
}

/** Null where the file ends before `end`. */
async function hashRange(handle: FileHandle, start: number, end: number): Promise<string | null> {
  const buffer = Buffer.alloc(READ_BYTES);
  const hash = createHash("sha256");
  for (let at = start; at < end;) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(READ_BYTES, end - at), at);
    if (bytesRead === 0) return null;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest("hex");
}

/** False for files without a manifest. */
export function isProved({ sizeBytes, partSizeBytes, partSha256 }: Proof): boolean {
  return partSizeBytes > 0 && partSha256.length === Math.ceil(sizeBytes / partSizeBytes);
}
