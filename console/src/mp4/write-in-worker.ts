import { getFile, type StoredFile } from "#contract/files.ts";
import { call } from "#console/lib/api-client.ts";
import { Mp4Error } from "./mp4-error.ts";
import type { FromMp4Worker, Mp4Order, ToMp4Worker } from "./mp4-messages.ts";
// oxlint-disable-next-line import/default -- Vite exports the built worker's address
import workerUrl from "./mp4-worker.ts?worker&url";
import type { StoredVideo } from "./stored-bytes.ts";

/**
 * Has a worker write a stored file, until it is whole or `signal` aborts.
 * @throws {Mp4Error}
 */
export async function writeInWorker(
  stored: StoredFile,
  target: Pick<Mp4Order, "file" | "isTemporary" | "span">,
  signal: AbortSignal,
  onProgress: (readBytes: number, totalBytes: number) => void,
): Promise<void> {
  const { key, size: sizeBytes } = stored;
  const worker = startMp4Worker();
  const tell = (message: ToMp4Worker) => worker.postMessage(message);
  const cancel = () => tell({ type: "cancel" });
  signal.addEventListener("abort", cancel);
  try {
    await new Promise<void>((resolve, reject) => {
      worker.addEventListener("error", () => reject(new Mp4Error("The writer stopped.")));
      worker.addEventListener("message", ({ data }: MessageEvent<FromMp4Worker>) => {
        if (data.type === "progress") onProgress(data.readBytes, data.totalBytes);
        else if (data.type === "renew") {
          call(getFile, { params: { key } }).then(
            (renewed) => tell({ type: "renewed", video: addressesOf(renewed) }),
            (error: unknown) => {
              cancel();
              reject(error);
            },
          );
        } else if (data.type === "saved") resolve();
        else reject(new Mp4Error(data.message));
      });
      tell({ type: "start", video: addressesOf(stored), sizeBytes, ...target });
    });
  } finally {
    signal.removeEventListener("abort", cancel);
    worker.terminate();
  }
}

/** Playback addresses serve ranges for as long as the session lasts. */
function addressesOf({ key, playlistUrl, videoUrl, downloadUrl }: StoredFile): StoredVideo {
  const name = key.slice(key.lastIndexOf("/") + 1);
  const objectUrl =
    playlistUrl === undefined ? (videoUrl ?? downloadUrl) : `${new URL(name, playlistUrl)}`;
  if (objectUrl === undefined) throw new Mp4Error("The store no longer has this file.");
  return { objectUrl, playlistUrl: playlistUrl ?? null };
}

/** Part of Trusted Types (https://w3c.github.io/trusted-types/), which TypeScript does not know yet. */
type TrustedTypes = {
  readonly createPolicy: (
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ) => { readonly createScriptURL: (url: string) => string };
};

declare global {
  interface Window {
    readonly trustedTypes?: TrustedTypes;
  }
}

/**
 * The console's only Trusted Types policy (hosts/node/security-headers.ts). It ignores what it is
 * asked for: no caller can make it trust another script.
 */
const policy = window.trustedTypes?.createPolicy("mp4-worker", {
  createScriptURL: () => workerUrl,
});

function startMp4Worker(): Worker {
  return new Worker(policy?.createScriptURL("") ?? workerUrl, { type: "module" });
}
