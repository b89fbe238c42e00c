import { FileJson, FileText } from "lucide-react";
import { getFile, type ObjectKey } from "#contract/files.ts";
import type { Upload } from "#contract/upload.ts";
import { ChatStored } from "#console/domain/uploads/chat-stored.tsx";
import { call } from "#console/lib/api-client.ts";
import { startDownload } from "#console/lib/download.ts";
import { Button } from "#console/ui/button.tsx";
import { QueryBody } from "#console/ui/query-body.tsx";
import { toastError } from "#console/ui/toast-error.ts";
import { useChatLog } from "./chat-log.ts";
import { ChatReplay } from "./chat-replay.tsx";

/** The chat of a stored video, and its downloads. */
export function ChatPanel({
  fileKey,
  url,
  currentSec,
  onSeek,
}: {
  readonly fileKey: ObjectKey;
  readonly url: string;
  readonly currentSec: number;
  readonly onSeek: (sec: number) => void;
}) {
  return (
    <div className="stack gap3">
      <QueryBody query={useChatLog(url)}>
        {(messages) => <ChatReplay messages={messages} currentSec={currentSec} onSeek={onSeek} />}
      </QueryBody>
      <div className="wrap">
        <Button icon={<FileText />} onClick={() => void downloadChat(fileKey, "textDownloadUrl")}>
          Chat as text
        </Button>
        <Button icon={<FileJson />} onClick={() => void downloadChat(fileKey, "downloadUrl")}>
          Chat as JSON
        </Button>
      </div>
    </div>
  );
}

/** In place of the chat of a video without one: how much of it is stored by now. */
export function ChatAbsent({
  upload,
  onReload,
}: {
  readonly upload: Upload;
  readonly onReload: () => void;
}) {
  const isThere = upload.debugInfo.chatFileId !== null;
  return (
    <div className="wrap">
      <ChatStored uploadId={upload.id} chat={upload.chat} />
      {isThere && <Button onClick={onReload}>Show the chat</Button>}
    </div>
  );
}

/** The links of the page may have expired. */
async function downloadChat(
  key: ObjectKey,
  form: "textDownloadUrl" | "downloadUrl",
): Promise<void> {
  try {
    const { chat } = await call(getFile, { params: { key } });
    if (chat === undefined) toastError("The chat replay no longer exists");
    else startDownload(chat[form]);
  } catch {
    toastError("Failed to generate download URL");
  }
}
