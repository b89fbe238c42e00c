import { Archive } from "lucide-react";
import { UPLOAD_STATUSES } from "#contract/upload.ts";
import { Avatar } from "#console/ui/avatar.tsx";
import { Badge, type Tone } from "#console/ui/badge.tsx";
import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";
import { CopyButton } from "#console/ui/copy-button.tsx";
import { ProductMark } from "#console/ui/product-mark.tsx";
import { Meter, Progress } from "#console/ui/progress.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
import { Spinner } from "#console/ui/spinner.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { Time } from "#console/ui/time.tsx";
import { UploadStatusBadge } from "#console/ui/upload-status-badge.tsx";
import { Samples, Section } from "./design-section.tsx";

const TONES: readonly Tone[] = ["neutral", "accent", "good", "warn", "alert", "bad", "info"];

export function Statuses() {
  return (
    <Section title="Statuses">
      <Samples>
        {TONES.map((tone) => (
          <Badge key={tone} tone={tone} icon={<Archive aria-hidden="true" />}>
            {tone}
          </Badge>
        ))}
      </Samples>
      <Samples>
        {UPLOAD_STATUSES.map((status) => (
          <UploadStatusBadge key={status} status={status} />
        ))}
      </Samples>
      {TONES.map((tone, index) => (
        <Progress key={tone} label={`Progress, ${tone}`} percent={20 + index * 12} tone={tone} />
      ))}
      <Progress label="Unknown progress" percent={null} />
      <Meter label="Budget" percent={82} text="82% of the budget" tone="warn" />
      <Samples>
        <Spinner />
        <Skeleton width="12rem" />
        <Avatar name="Avery Admin" imageUrl={null} size={24} />
        <Avatar name="kettle_and_keys" imageUrl={null} size={40} />
        <Time at="2026-01-01T12:00:00.000Z" />
        <Time at={null} />
        <CopyButton text="copied" label="Copy" />
        <ProductMark size={24} />
        <StaleMark query={{ data: null, dataUpdatedAt: 0, isError: true }} intervalMs={1_000} />
      </Samples>
      <Banner tone="info">Something to know.</Banner>
      <Banner tone="warn" actions={<Button>Act</Button>}>
        Something to look at.
      </Banner>
      <Banner tone="bad">Something is broken.</Banner>
    </Section>
  );
}
