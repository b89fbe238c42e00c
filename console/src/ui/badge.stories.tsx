import { Archive } from "lucide-react";
import { healthStatusSchema } from "#contract/system.ts";
import { UPLOAD_STATUSES } from "#contract/upload.ts";
import { Badge, type Tone } from "./badge.tsx";
import { HealthBadge } from "./health-badge.tsx";
import { UploadStatusBadge } from "./upload-status-badge.tsx";

const TONES: readonly Tone[] = ["neutral", "accent", "good", "warn", "alert", "bad", "info"];

export function Tones() {
  return TONES.map((tone) => (
    <Badge key={tone} tone={tone} icon={<Archive aria-hidden="true" />}>
      {tone}
    </Badge>
  ));
}

export function UploadStatuses() {
  return UPLOAD_STATUSES.map((status) => <UploadStatusBadge key={status} status={status} />);
}

export function Health() {
  return healthStatusSchema.options.map((status) => <HealthBadge key={status} status={status} />);
}
