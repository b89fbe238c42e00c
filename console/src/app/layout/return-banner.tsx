import { useRouter } from "@tanstack/react-router";
import { X } from "lucide-react";
import { useState } from "react";
import { forgetReturnPath, returnPath } from "#console/lib/return-path.ts";
import { Banner } from "#console/ui/banner.tsx";
import { Button, IconButton } from "#console/ui/button.tsx";

/** Offers to return to the page that was open before the sign-in. */
export function ReturnBanner() {
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
