import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { agreeForOwnChannel, CONSENT_TEXT_VERSION } from "#contract/consent.ts";
import { call } from "#console/lib/api-client.ts";
import { ActionDialog } from "#console/ui/action-dialog.tsx";
import { Button } from "#console/ui/button.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { ConsentTerms } from "./consent-terms.tsx";

/** The owner, who is signed in, agrees right here: as real a consent as on the page of a link. */
export function AgreeForOwnChannel() {
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const agree = useMutation({
    mutationFn: () => call(agreeForOwnChannel, { body: { textVersion: CONSENT_TEXT_VERSION } }),
    async onSuccess() {
      toast.success("You agreed to archiving your channel");
      setOpen(false);
      await queryClient.invalidateQueries();
    },
  });
  return (
    <>
      <Button onClick={() => setOpen(true)}>This is my channel: agree</Button>
      {isOpen && (
        <ActionDialog
          title="Archiving your VODs"
          save={agree}
          label="Agree"
          onClose={() => setOpen(false)}
        >
          <ConsentTerms invitedBy={null} />
        </ActionDialog>
      )}
    </>
  );
}
