import { notifyManager, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type Upload } from "#contract/upload.ts";
import { uploadStream, type UploadStreamMessage } from "#contract/upload-stream.ts";
import type { UploadId } from "#contract/ids.ts";
import { collectBursts } from "#console/lib/bursts.ts";
import { openLiveStream } from "#console/lib/live-stream.ts";
import { useOnline } from "#console/lib/online.ts";
import { showOwnChange } from "#console/lib/query-client.ts";
import { mergeUpload, removeUpload } from "./upload-merge.ts";
import { UPLOAD_LISTS } from "./upload-queries.ts";
import { uploadQuery } from "./upload-query.ts";
import type { UploadPage, UploadsView } from "./uploads-view.ts";

/** `lost`: disconnected, and tried again. */
export type LiveState = "connected" | "connecting" | "disconnected" | "lost";

/** The first change shows at once, those of a busy service twice a second: each drawing costs more than a change. */
const RENDER_EVERY_MS = 500;

/**
 * Follows the stream of uploads unless `opening` is null. It counts how often the stream was opened
 * by hand: a new number opens it at once. Offline counts as not live, even before the stream notices.
 */
export function useLiveUpdates(opening: number | null): LiveState {
  const queryClient = useQueryClient();
  const [state, setState] = useState<LiveState>(opening === null ? "disconnected" : "connecting");
  useEffect(() => {
    if (opening === null) return undefined;
    const messages = collectBursts<UploadStreamMessage>(RENDER_EVERY_MS, (burst) =>
      notifyManager.batch(() => {
        for (const message of burst) applyMessage(queryClient, message);
      }),
    );
    const close = openLiveStream(uploadStream, {
      onMessage: messages.add,
      onState: setState,
    });
    return () => {
      close();
      messages.flush();
      setState("disconnected");
    };
  }, [opening, queryClient]);
  return useOnline() ? state : "disconnected";
}

function applyMessage(queryClient: QueryClient, message: UploadStreamMessage): void {
  if (message.type === "upload_update") applyUpload(queryClient, message.upload);
  else if (message.type === "upload_deleted") applyDeletion(queryClient, message.id);
  // The key of `browserNotifications`, which is in the entry script and need not be here as well.
  else if (message.type === "notification")
    void queryClient.invalidateQueries({ queryKey: ["notifications", "browser"] });
}

/** Refreshes what any upload's change affects: the lists and the dashboard's counts. */
export function useRefreshUploads() {
  const queryClient = useQueryClient();
  return () => {
    showOwnChange();
    void queryClient.invalidateQueries({ queryKey: ["uploads"] });
    void queryClient.invalidateQueries({ queryKey: ["dashboard"] });
  };
}

/** Applies a version of an upload to every cached page that it belongs to. */
export function applyUpload(queryClient: QueryClient, upload: Upload): void {
  // Only if already cached: otherwise a day's uploads would fill the cache.
  queryClient.setQueryData<Upload>(
    uploadQuery(upload.id).queryKey,
    (known) => known && (known.version >= upload.version ? known : upload),
  );
  changePages(queryClient, (page, view) => mergeUpload(page, view, upload));
}

export function applyDeletion(queryClient: QueryClient, id: UploadId): void {
  queryClient.removeQueries({ queryKey: uploadQuery(id).queryKey });
  changePages(queryClient, (page) => removeUpload(page, id));
}

function changePages(
  queryClient: QueryClient,
  change: (page: UploadPage, view: UploadsView) => UploadPage,
): void {
  for (const query of queryClient.getQueryCache().findAll({ queryKey: UPLOAD_LISTS })) {
    const { queryKey } = query;
    const page = queryClient.getQueryData<UploadPage>(queryKey);
    const view = viewOf(queryKey);
    if (page === undefined || view === null) continue;
    const changed = change(page, view);
    if (changed === page) continue;
    // The page is no fresher: its other rows may have changed while no stream was open.
    const { dataUpdatedAt: updatedAt } = query.state;
    if (changed.total === page.total || query.state.fetchStatus === "idle") {
      queryClient.setQueryData(queryKey, changed, { updatedAt });
    } else {
      // A pending answer lacks this row's insertion or removal. Cancelling it reverts the page to
      // its previous state, which is then changed.
      void query
        .cancel({ revert: true })
        .then(() =>
          queryClient.setQueryData<UploadPage>(
            queryKey,
            (before) => before && change(before, view),
            { updatedAt },
          ),
        );
    }
  }
}

function viewOf(queryKey: readonly unknown[]): UploadsView | null {
  const view = queryKey[2];
  // The key was made by `uploadsQuery`.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return typeof view === "object" && view !== null ? (view as UploadsView) : null;
}
