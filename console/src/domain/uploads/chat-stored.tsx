import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import type { ChatState } from "#contract/chat-state.ts";
import type { UploadId } from "#contract/ids.ts";
import { readChatAgain } from "#contract/uploads.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { Button } from "#console/ui/button.tsx";
import { toastError } from "#console/ui/toast-error.ts";
import { chatText } from "./chat-text.ts";
import { applyUpload } from "./live-updates.ts";

/** How much of an upload's chat is stored, and a button to get the rest if some is missing. */
export function ChatStored({
  uploadId,
  chat,
  onAsked,
}: {
  readonly uploadId: UploadId;
  readonly chat: ChatState;
  /** Called when the chat is going to be read again. */
  readonly onAsked?: () => void;
}) {
  const queryClient = useQueryClient();
  const again = useMutation({
    mutationFn: () => call(readChatAgain, { params: { id: uploadId } }),
    onSuccess: (upload) => {
      applyUpload(queryClient, upload);
      onAsked?.();
    },
    onError: (error) => toastError(messageOf(error)),
  });
  const missing = useMissingPermission("write:uploads");
  return (
    <>
      <span>{chatText(chat)}</span>
      {chat.state !== "reading" && chat.state !== "complete" && (
        <Button
          kind="quiet"
          icon={<RotateCw />}
          busy={again.isPending}
          disabledReason={missing}
          onClick={() => again.mutate()}
        >
          Get the chat again
        </Button>
      )}
    </>
  );
}
