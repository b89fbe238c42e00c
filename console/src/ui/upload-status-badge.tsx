import { Ban, CircleAlert, CircleCheck, CircleDashed, LoaderCircle } from "lucide-react";
import type { ReactNode } from "react";
import type { UploadStatus } from "#contract/upload.ts";
import { Badge, type Tone } from "./badge.tsx";

export const UPLOAD_STATUS_LABELS: Readonly<Record<UploadStatus, string>> = {
  pending: "Pending",
  processing: "Processing",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
};

export const UPLOAD_STATUS_TONES: Readonly<Record<UploadStatus, Tone>> = {
  pending: "neutral",
  processing: "info",
  completed: "good",
  failed: "bad",
  cancelled: "neutral",
};

export const UPLOAD_STATUS_ICONS: Readonly<Record<UploadStatus, ReactNode>> = {
  pending: <CircleDashed />,
  processing: <LoaderCircle />,
  completed: <CircleCheck />,
  failed: <CircleAlert />,
  cancelled: <Ban />,
};

export function UploadStatusBadge({ status }: { readonly status: UploadStatus }) {
  return (
    <Badge tone={UPLOAD_STATUS_TONES[status]} icon={UPLOAD_STATUS_ICONS[status]}>
      {UPLOAD_STATUS_LABELS[status]}
    </Badge>
  );
}
