import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import type { UploadId } from "#contract/ids.ts";
import { uploadQuery } from "#console/domain/uploads/upload-query.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Banner } from "#console/ui/banner.tsx";
import { IconButton } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
import { UploadStatusBadge } from "#console/ui/upload-status-badge.tsx";
import { LazyDebugPanel } from "./lazy-debug-panel.tsx";

/** The upload in the address, when it is not on the page below. */
export function LinkedUpload({
  id,
  onClose,
}: {
  /** Undefined if the address holds no valid id. */
  readonly id: UploadId | undefined;
  readonly onClose: () => void;
}) {
  const close = (
    <IconButton label="Close" onClick={onClose}>
      <X />
    </IconButton>
  );
  if (id === undefined) return <NotFound close={close} />;
  return <Loaded id={id} close={close} />;
}

function Loaded({ id, close }: { readonly id: UploadId; readonly close: ReactNode }) {
  const { data, isError } = useQuery(uploadQuery(id));
  if (isError) return <NotFound close={close} />;
  return (
    <Card
      flush
      title={
        data === undefined ? (
          <Skeleton width="12rem" />
        ) : (
          visibleText(data.metadata.streamTitle ?? data.filename)
        )
      }
      actions={
        <span>
          {data !== undefined && <UploadStatusBadge status={data.status} />}
          {close}
        </span>
      }
    >
      {data !== undefined && <LazyDebugPanel upload={data} />}
    </Card>
  );
}

function NotFound({ close }: { readonly close: ReactNode }) {
  return (
    <Banner tone="warn" actions={close}>
      The linked upload no longer exists.
    </Banner>
  );
}
