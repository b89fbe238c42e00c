import { useEffect, useRef, useState } from "react";
import { getFile, type ObjectKey, type StoredFile } from "#contract/files.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { useAskBeforeLeaving } from "#console/lib/ask-before-leaving.ts";
import { startDownload } from "#console/lib/download.ts";
import { Mp4Error } from "./mp4-error.ts";
import type { FromMp4Worker, ToMp4Worker } from "./mp4-messages.ts";
import { chooseTarget, type Mp4Target } from "./mp4-target.ts";
import type { TimeRange } from "#contract/upload.ts";
// oxlint-disable-next-line import/default -- Vite exports the built worker's address
import workerUrl from "./mp4-worker.ts?worker&url";
import type { StoredVideo } from "./stored-bytes.ts";

export type Mp4Save =
  | { readonly phase: "ready" }
  | {
      readonly phase: "running";
      readonly readBytes: number;
      /** Average since the start. */
      readonly bytesPerSecond: number;
      /** Null until the playlist is read. */
      readonly totalBytes: number | null;
    }
  /** `isTemporary`: the browser is downloading a copy, which is removed when the dialog closes. */
  | { readonly phase: "saved"; readonly sizeBytes: number; readonly isTemporary: boolean }
  | { readonly phase: "failed"; readonly message: string };

const READY: Mp4Save = { phase: "ready" };

/**
 * Saves a stored file, or a span of it, as MP4. Leaving the page asks first. Whatever does not end
 * as saved leaves no file behind.
 */
export function useMp4Save(fileKey: ObjectKey, name: string, span: TimeRange) {
  const [state, setState] = useState<Mp4Save>(READY);
  const running = useRef<(() => void) | null>(null);
  const written = useRef<Mp4Target | null>(null);

  useEffect(
    () => () => {
      running.current?.();
      void written.current?.discard();
    },
    [],
  );
  useAskBeforeLeaving(state.phase === "running");

  async function save(sizeBytes: number): Promise<void> {
    let target: Mp4Target | null = null;
    try {
      // First: the picker opens only right after a click.
      target = await chooseTarget(name, sizeBytes);
      if (target === null) return;
      setState({ phase: "running", readBytes: 0, bytesPerSecond: 0, totalBytes: null });
      await runWorker(target);
      const file = await target.file.getFile();
      // The address must stay valid until the browser has copied the file: as long as the page.
      if (target.isTemporary) startDownload(URL.createObjectURL(file), name);
      written.current = target.isTemporary ? target : null;
      setState({ phase: "saved", sizeBytes: file.size, isTemporary: target.isTemporary });
    } catch (error) {
      await target?.discard();
      const message = error instanceof Mp4Error ? error.message : messageOf(error);
      setState(message === "" ? READY : { phase: "failed", message });
    }
  }

  /** @throws {Mp4Error} whose message is empty if it was cancelled */
  async function runWorker({ file, isTemporary }: Mp4Target): Promise<void> {
    const stored = await call(getFile, { params: { key: fileKey }, query: { download: true } });
    const worker = startMp4Worker();
    const startedAtMs = Date.now();
    const tell = (message: ToMp4Worker) => worker.postMessage(message);
    try {
      await new Promise<void>((resolve, reject) => {
        running.current = () => tell({ type: "cancel" });
        worker.addEventListener("error", () => reject(new Mp4Error("The MP4 writer stopped.")));
        worker.addEventListener("message", ({ data }: MessageEvent<FromMp4Worker>) => {
          if (data.type === "progress") {
            const { readBytes, totalBytes } = data;
            const bytesPerSecond = (1_000 * readBytes) / Math.max(1, Date.now() - startedAtMs);
            setState({ phase: "running", readBytes, bytesPerSecond, totalBytes });
          } else if (data.type === "renew") {
            call(getFile, { params: { key: fileKey } }).then(
              (renewed) => tell({ type: "renewed", video: addressesOf(renewed) }),
              (error: unknown) => {
                tell({ type: "cancel" });
                reject(error);
              },
            );
          } else if (data.type === "saved") resolve();
          else reject(new Mp4Error(data.message));
        });
        const video = addressesOf(stored);
        tell({ type: "start", video, sizeBytes: stored.size, span, file, isTemporary });
      });
    } finally {
      running.current = null;
      worker.terminate();
    }
  }

  return { state, save, cancel: () => running.current?.() };
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
