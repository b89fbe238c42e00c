import type { Upload } from "#contract/upload.ts";
import { ChatStored } from "#console/domain/uploads/chat-stored.tsx";
import { Button } from "#console/ui/button.tsx";
import styles from "./chat.module.css";

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
    <div className={styles.absent}>
      <ChatStored uploadId={upload.id} chat={upload.chat} />
      {isThere && <Button onClick={onReload}>Show the chat</Button>}
    </div>
  );
}
