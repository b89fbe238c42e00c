import type { StreamTargetChunk } from "mediabunny";
import { Mp4Error } from "./mp4-error.ts";
import type { FromMp4Worker, Mp4Order, ToMp4Worker } from "./mp4-messages.ts";
import { piecesOf, type Piece } from "./mp4-pieces.ts";
import type { TimeRange } from "#contract/upload.ts";
import { remux, type StoredBytes } from "./remux.ts";
import { fetchAgain, storedBytes, type Addresses, type StoredVideo } from "./stored-bytes.ts";

/** The part of `lib.webworker.d.ts` that is needed: the console is compiled for pages. */
type SyncAccessHandle = {
  readonly write: (data: Uint8Array<ArrayBuffer>, options: { at: number }) => number;
  readonly close: () => void;
};
type PrivateFileHandle = FileSystemFileHandle & {
  readonly createSyncAccessHandle: () => Promise<SyncAccessHandle>;
};

const cancelling = new AbortController();
let renewed: PromiseWithResolvers<StoredVideo> | undefined;

addEventListener("message", ({ data }: MessageEvent<ToMp4Worker>) => {
  if (data.type === "start") void save(data);
  else if (data.type === "renewed") renewed?.resolve(data.video);
  else cancelling.abort();
});

function tell(message: FromMp4Worker): void {
  self.postMessage(message);
}

async function save(order: Mp4Order): Promise<void> {
  let target: WritableStream<StreamTargetChunk> | undefined;
  try {
    const addresses = renewableAddresses(order.video);
    const { span } = order;
    const pieces = span === null ? [wholeOf(order)] : await readPieces(order, span, addresses);
    const totalBytes = pieces.reduce((total, { range }) => total + range.length, 0);
    let readBytes = 0;
    const bytes = storedBytes(addresses, order.sizeBytes, cancelling.signal, (count) => {
      // Some bytes at the edges of requests are read twice.
      readBytes = Math.min(readBytes + count, totalBytes);
      tell({ type: "progress", readBytes, totalBytes });
    });
    target = await openTarget(order);
    if (span === null) await copy(bytes, order.sizeBytes, target);
    else await remux(bytes, pieces, span, target);
    tell({ type: "saved" });
  } catch (error) {
    // mediabunny closes what it has begun to write.
    if (target?.locked === false) await target.abort();
    tell({ type: "failed", message: cancelling.signal.aborted ? "" : messageOf(error) });
  }
}

async function readPieces(
  order: Mp4Order,
  span: TimeRange,
  addresses: Addresses,
): Promise<readonly Piece[]> {
  if (order.video.playlistUrl === null) return [wholeOf(order)];
  const playlist = await fetchAgain(addresses, cancelling.signal, ({ playlistUrl }) =>
    fetch(playlistUrl ?? "", { signal: cancelling.signal }),
  );
  return piecesOf(new TextDecoder().decode(playlist), span);
}

function wholeOf({ sizeBytes }: Mp4Order): Piece {
  return { range: { offset: 0, length: sizeBytes }, init: null, startSec: 0 };
}

/** Requests as long as those for an MP4 file, each of which is repeated alone. */
const COPY_BYTES = 8 * 2 ** 20;

async function copy(
  { read }: StoredBytes,
  sizeBytes: number,
  target: WritableStream<StreamTargetChunk>,
): Promise<void> {
  const writer = target.getWriter();
  for (let position = 0; position < sizeBytes; position += COPY_BYTES) {
    const data = await read(position, Math.min(position + COPY_BYTES, sizeBytes));
    await writer.write({ type: "write", data: new Uint8Array(data), position });
  }
  await writer.close();
}

function renewableAddresses(first: StoredVideo): Addresses {
  let video = first;
  return {
    current: () => video,
    renew: async (refused) => {
      if (refused !== video) return;
      if (renewed === undefined) {
        renewed = Promise.withResolvers();
        tell({ type: "renew" });
      }
      video = await renewed.promise;
      renewed = undefined;
    },
  };
}

async function openTarget({
  file,
  isTemporary,
}: Mp4Order): Promise<WritableStream<StreamTargetChunk>> {
  if (!isTemporary) return file.createWritable();
  // Only workers have synchronous access, and only to private files.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const access = await (file as PrivateFileHandle).createSyncAccessHandle();
  const close = () => access.close();
  return new WritableStream({
    write({ data, position }) {
      if (access.write(data, { at: position }) === data.length) return;
      // A stream that fails closes nothing.
      close();
      throw new DOMException("The disk is full", "QuotaExceededError");
    },
    close,
    abort: close,
  });
}

function messageOf(error: unknown): string {
  if (error instanceof Mp4Error) return error.message;
  if (error instanceof DOMException && error.name === "QuotaExceededError")
    return "There is not enough space on this device.";
  const reason = error instanceof Error ? ` (${error.message})` : "";
  return `This video can't be copied into an MP4 file${reason}. Download the original file instead.`;
}
