import type { StreamTargetChunk } from "mediabunny";
import { Mp4Error } from "./mp4-error.ts";
import type { FromMp4Worker, Mp4Order, ToMp4Worker } from "./mp4-messages.ts";
import { piecesOf, type Piece } from "./mp4-pieces.ts";
import { remux } from "./remux.ts";
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
    const pieces = await readPieces(order, addresses);
    const totalBytes = pieces.reduce((total, { range }) => total + range.length, 0);
    let readBytes = 0;
    const bytes = storedBytes(addresses, order.sizeBytes, cancelling.signal, (count) => {
      // Some bytes at the edges of requests are read twice.
      readBytes = Math.min(readBytes + count, totalBytes);
      tell({ type: "progress", readBytes, totalBytes });
    });
    target = await openTarget(order);
    await remux(bytes, pieces, order.span, target);
    tell({ type: "saved" });
  } catch (error) {
    // mediabunny closes what it has begun to write.
    if (target?.locked === false) await target.abort();
    tell({ type: "failed", message: cancelling.signal.aborted ? "" : messageOf(error) });
  }
}

async function readPieces(
  { span, sizeBytes, video }: Mp4Order,
  addresses: Addresses,
): Promise<readonly Piece[]> {
  if (video.playlistUrl === null)
    return [{ range: { offset: 0, length: sizeBytes }, init: null, startSec: 0 }];
  const playlist = await fetchAgain(addresses, cancelling.signal, ({ playlistUrl }) =>
    fetch(playlistUrl ?? "", { signal: cancelling.signal }),
  );
  return piecesOf(new TextDecoder().decode(playlist), span);
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
