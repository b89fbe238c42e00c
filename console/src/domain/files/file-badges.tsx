import {
  Blocks,
  CircleCheck,
  CircleDashed,
  FileUp,
  FileVideo,
  Unlink,
  type LucideIcon,
} from "lucide-react";
import type { FileStatus, UploadType } from "#contract/files.ts";
import { Badge, type Tone } from "#console/ui/badge.tsx";
import { FILE_STATUS_LABELS, FILE_TYPE_NAMES } from "./file-words.ts";

const TYPES: Readonly<Record<UploadType, { tone: Tone; icon: LucideIcon }>> = {
  twitch: { tone: "accent", icon: FileVideo },
  manual: { tone: "info", icon: FileUp },
  chunk: { tone: "neutral", icon: Blocks },
  url: { tone: "info", icon: FileVideo },
};

const STATUSES: Readonly<Record<FileStatus, { tone: Tone; icon: LucideIcon }>> = {
  complete: { tone: "good", icon: CircleCheck },
  partial: { tone: "warn", icon: CircleDashed },
  orphaned: { tone: "bad", icon: Unlink },
};

export function FileTypeIcon({ type }: { readonly type: UploadType }) {
  const { icon: Icon } = TYPES[type];
  return <Icon />;
}

export function FileTypeBadge({ type }: { readonly type: UploadType }) {
  return <Badge tone={TYPES[type].tone}>{FILE_TYPE_NAMES[type]}</Badge>;
}

export function FileStatusBadge({ status }: { readonly status: FileStatus }) {
  const { tone, icon: Icon } = STATUSES[status];
  return (
    <Badge tone={tone} icon={<Icon />}>
      {FILE_STATUS_LABELS[status]}
    </Badge>
  );
}
