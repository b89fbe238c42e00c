import { useRouter } from "@tanstack/react-router";
import { useSelector } from "@tanstack/react-store";
import { X } from "lucide-react";
import { useState } from "react";
import { bulkState } from "#console/lib/bulk-state.ts";
import { forgetReturnPath, returnPath } from "#console/lib/return-path.ts";
import { usesTwitchStandIn } from "#console/lib/session.ts";
import { Banner } from "#console/ui/banner.tsx";
import { Button, IconButton } from "#console/ui/button.tsx";
import { BulkRunBar } from "./lazy-parts.ts";

/** What concerns every screen from the first paint on, or what the user started. */
export function Banners() {
  return (
    <>
      {usesTwitchStandIn() && (
        <Banner tone="warn">
          No Twitch credentials are set: a local stand-in makes up accounts and videos.
        </Banner>
      )}
      <ReturnBanner />
      <BulkRunNotice />
    </>
  );
}

/** The current bulk run on every screen, so that leaving the list hides nothing. */
function BulkRunNotice() {
  const state = useSelector(bulkState);
  return (state.progress ?? state.report) && <BulkRunBar {...state} />;
}

/** Offers to return to the page that was open before the sign-in. */
function ReturnBanner() {
  const router = useRouter();
  const [path, setPath] = useState(returnPath);
  if (path === null) return null;
  function dismiss() {
    forgetReturnPath();
    setPath(null);
  }
  function goBack(target: string) {
    dismiss();
    void router.navigate({ href: target });
  }
  return (
    <Banner
      tone="info"
      actions={
        <>
          <Button onClick={() => goBack(path)}>Return</Button>
          <IconButton label="Dismiss" onClick={dismiss}>
            <X />
          </IconButton>
        </>
      }
    >
      Before you signed in, you were at <strong>{path}</strong>.
    </Banner>
  );
}
