import { createHash, type Hash } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, rename, stat, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { getFile, type StoredFile } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { fileErrorCode, fileErrorSentence } from "#hosts/node/file-error.ts";
import { ignoreUnsupported } from "#hosts/node/sync-folder.ts";
import { CommandError, EXIT_CODES } from "#program/exit-codes.ts";
import { call, RECONNECT_AFTER_MS, refusal, unreachable, type Connection } from "./call.ts";
import { lockFile } from "./file-lock.ts";
import { countRightBytes, isProved, isRight, partEnd, readProof, type Proof } from "./proof.ts";
import { FullDisk } from "./try-each.ts";

const SILENCE_MS = 60_000;

/** `unproved`: the service has no digests of the file, so that only its size was compared. */
export type CopyResult = "copied" | "present" | "unproved";

/** The service sent other bytes than those that it had proved. */
export class SentOtherBytes extends CommandError {
  override readonly name = "CommandError";
}

/**
 * Copies a stored file to `target`, which appears only once all of its bytes are proved; until then
 * they are in `target.part`, from which a later call goes on. Never replaces a file.
 *
 * @throws {CommandError} mismatch if another file is at `target`, or the bytes are not the proved ones
 */
export async function copyStored(
  connection: Connection,
  file: StoredFile,
  target: string,
  onProgress: (storedBytes: number) => void,
): Promise<CopyResult> {
  await withFileErrors(target, () => mkdir(dirname(target), { recursive: true }));
  const lock = lockFile(target);
  try {
    const proof = await readProof(connection, file);
    if (await exists(target)) {
      if (isProved(proof) && (await isRight(target, proof))) return "present";
      throw new CommandError(
        EXIT_CODES.mismatch,
        `${target} is not the stored file. Move it away to download the stored one.`,
      );
    }
    const path = `${target}.part`;
    const handle = await withFileErrors(path, () => openOwn(path));
    try {
      await new PartFile(handle, path, proof, onProgress).fill(connection, file);
    } finally {
      await handle.close();
    }
    await withFileErrors(target, () => rename(path, target));
    return isProved(proof) ? "copied" : "unproved";
  } finally {
    lock.release();
  }
}

class PartFile {
  private readonly handle: FileHandle;
  private readonly path: string;
  private readonly proof: Proof;
  private readonly onProgress: (storedBytes: number) => void;
  private offset = 0;
  private hash: Hash = createHash("sha256");
  private wrongPart: number | null = null;

  constructor(
    handle: FileHandle,
    path: string,
    proof: Proof,
    onProgress: (storedBytes: number) => void,
  ) {
    this.handle = handle;
    this.path = path;
    this.proof = proof;
    this.onProgress = onProgress;
  }

  async fill(connection: Connection, file: StoredFile): Promise<void> {
    this.offset = isProved(this.proof) ? await countRightBytes(this.handle, this.proof) : 0;
    await this.write(() => this.handle.truncate(this.offset));
    for (let failures = 0; this.offset < this.proof.sizeBytes; failures += 1) {
      const before = this.offset;
      let broken: unknown = new Error("it ended the file early");
      try {
        for await (const bytes of bytesFrom(connection, file, before)) await this.append(bytes);
      } catch (error) {
        if (error instanceof CommandError) throw error;
        broken = error;
      }
      if (this.offset === this.proof.sizeBytes) break;
      if (this.offset > before) failures = 0;
      const waitMs = RECONNECT_AFTER_MS[failures];
      if (waitMs === undefined) throw unreachable(connection, broken);
      await pause(waitMs);
    }
    await this.write(() => this.handle.sync().catch(ignoreUnsupported));
  }

  private async append(bytes: Uint8Array): Promise<void> {
    const { proof } = this;
    for (let rest = bytes; rest.length > 0;) {
      const part = isProved(proof) ? Math.floor(this.offset / proof.partSizeBytes) : -1;
      const end = part < 0 ? proof.sizeBytes : partEnd(proof, part);
      const taken = rest.subarray(0, end - this.offset);
      if (taken.length === 0) throw new Error("it sent more than the file has");
      const at = this.offset;
      await this.write(async () => {
        for (let done = 0; done < taken.length;)
          done += (await this.handle.write(taken, done, taken.length - done, at + done))
            .bytesWritten;
      });
      this.hash.update(taken);
      this.offset += taken.length;
      rest = rest.subarray(taken.length);
      if (part >= 0 && this.offset === end) this.check(part);
      this.onProgress(this.offset);
    }
  }

  /** A part that came wrong is requested once more: it may have been damaged on its way. */
  private check(part: number): void {
    const isSame = this.hash.digest("hex") === this.proof.partSha256[part];
    this.hash = createHash("sha256");
    if (isSame) return;
    this.offset = part * this.proof.partSizeBytes;
    if (this.wrongPart === part)
      throw new SentOtherBytes(
        EXIT_CODES.mismatch,
        `Part ${part + 1} of ${this.path} came twice with other bytes than those that were proved.`,
      );
    this.wrongPart = part;
    throw new Error("it sent other bytes than those that were proved");
  }

  private async write<Result>(run: () => Promise<Result>): Promise<Result> {
    return await withFileErrors(this.path, run, this.offset);
  }
}

/** The bytes of a stored file from `offset` on, at an address of its own for each request. */
export async function* bytesFrom(
  connection: Connection,
  { key }: StoredFile,
  offset: number,
  end?: number,
): AsyncGenerator<Uint8Array, void> {
  const { downloadUrl } = await call(connection, getFile, {
    params: { key },
    query: { download: "true" },
  });
  if (downloadUrl === undefined)
    throw new CommandError(EXIT_CODES.notFound, `${key} cannot be downloaded any more.`);
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error("it is silent")), SILENCE_MS);
  try {
    const response = await fetch(ownAddress(connection, downloadUrl), {
      headers: {
        range: `bytes=${offset}-${end === undefined ? "" : end - 1}`,
        "accept-encoding": "identity",
      },
      signal: silence.signal,
    });
    if (response.status >= 500 || response.status === 429)
      throw new Error(`it answers ${response.status}`);
    if (!response.ok) throw refusal(connection, response, await response.text());
    const isRange = response.headers.get("content-range")?.startsWith(`bytes ${offset}-`) === true;
    if (response.body === null || ((offset > 0 || end !== undefined) && !isRange))
      throw new CommandError(
        EXIT_CODES.failed,
        `The store of ${connection.url} does not serve parts of files.`,
      );
    for await (const chunk of response.body) {
      timer.refresh();
      yield chunk;
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** By the way that this program reaches the service, which may not be its public one. */
export function ownAddress({ url }: Connection, address: string): string {
  const start = address.indexOf("/media/");
  return start < 0 ? address : url + address.slice(start);
}

/** Opens a file for writing, or makes it. A link could lead to any file of this user. */
export async function openOwn(path: string, flags = 0): Promise<FileHandle> {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  return await open(path, O_RDWR | O_CREAT | O_NOFOLLOW | flags);
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** Errors of the file system as a sentence. */
export async function withFileErrors<Result>(
  path: string,
  run: () => Promise<Result>,
  keptBytes = 0,
): Promise<Result> {
  try {
    return await run();
  } catch (cause) {
    const code = fileErrorCode(cause);
    if (code === null) throw cause;
    if (code === "ENOSPC" || code === "EDQUOT")
      throw new FullDisk(
        EXIT_CODES.failed,
        `The disk is full. ${path} keeps ${formatBytes(keptBytes)}; the same command goes on from there.`,
        { cause },
      );
    throw new CommandError(
      EXIT_CODES.failed,
      `${path} cannot be written: ${fileErrorSentence(code) ?? `${code}.`}`,
      { cause },
    );
  }
}
