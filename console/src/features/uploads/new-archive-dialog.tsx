import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useState, type ClipboardEvent, type FormEvent } from "react";
import type { BodyOf } from "#contract/call.ts";
import { twitchVodIdSchema, type UploadId } from "#contract/ids.ts";
import { MAX_SOURCE_ADDRESS_LENGTH } from "#contract/limits.ts";
import type { Quality } from "#contract/quality.ts";
import { previewSource, type QualityOption, type SourcePreview } from "#contract/source-preview.ts";
import { startUpload, type ArchiveSource } from "#contract/uploads.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { applyUpload } from "#console/domain/uploads/live-updates.ts";
import { QUALITY_LABELS } from "#console/domain/uploads/quality-text.ts";
import { withheldText } from "#console/domain/uploads/rendition-text.ts";
import { call } from "#console/lib/api-client.ts";
import { ApiError, messageOf } from "#console/lib/api-error.ts";
import { formatDuration, formatUsd } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Avatar } from "#console/ui/avatar.tsx";
import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { Dialog, DialogError, DialogText } from "#console/ui/dialog.tsx";
import { Figures } from "#console/ui/figures.tsx";
import { Select } from "#console/ui/select.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import { DateTime, Time } from "#console/ui/time.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { UPLOAD_STATUS_LABELS } from "#console/ui/upload-status-badge.tsx";
import { ManualUploadPanel } from "./manual-upload-panel.tsx";
import { useManualUploads } from "./manual-upload.ts";
import { InviteOwner } from "./invite-owner.tsx";
import styles from "./new-archive-dialog.module.css";
import { useRefreshUploads } from "./upload-actions.ts";

/** A VOD's number, an address at Twitch that contains it, or the address of any other video. */
function sourceOf(text: string): ArchiveSource {
  const vodId = twitchVodIdSchema.safeParse(text);
  if (vodId.success) return { type: "twitch", vodId: vodId.data };
  const host = /^https?:\/\//i.test(text) ? URL.parse(text)?.hostname : undefined;
  const isElsewhere = host !== undefined && !/(?:^|\.)twitch\.tv$/.test(host);
  return isElsewhere ? { type: "url", url: text } : { type: "twitch", url: text };
}

/** Starts an archive: shows what would be copied and its cost, and asks to confirm the rights. */
export function NewArchiveDialog({
  initialText,
  onClose,
  onShowUpload,
}: {
  readonly initialText: string;
  readonly onClose: () => void;
  readonly onShowUpload: (id: UploadId) => void;
}) {
  const queryClient = useQueryClient();
  const refresh = useRefreshUploads();
  const formId = useId();
  const [text, setText] = useState(initialText);
  const [rightsConfirmed, setRightsConfirmed] = useState(false);
  const [quality, setQuality] = useState<Quality>("best");
  const preview = useMutation({
    mutationFn: (source: ArchiveSource) => call(previewSource, { body: { source } }),
  });
  const start = useMutation({
    mutationFn: (body: BodyOf<typeof startUpload>) => call(startUpload, { body }),
    onSuccess: (upload) => {
      applyUpload(queryClient, upload);
      toast.success("Archive started");
      onClose();
    },
    onSettled: refresh,
  });

  const hasFiles = useManualUploads().length > 0;

  const found = preview.data;
  const isDuplicate = found?.existingUpload !== null && found !== undefined;
  /** Somebody else has archived it since the preview. */
  const hasBecomeDuplicate =
    start.error instanceof ApiError && start.error.details["again"] !== undefined;
  const again = isDuplicate || hasBecomeDuplicate;

  function changeText(next: string) {
    setText(next);
    setRightsConfirmed(false);
    setQuality("best");
    preview.reset();
    start.reset();
  }
  function requestPreview(event: FormEvent) {
    event.preventDefault();
    const trimmed = text.trim();
    if (trimmed !== "") preview.mutate(sourceOf(trimmed));
  }
  /** A pasted address is looked up at once. */
  function paste(event: ClipboardEvent) {
    const pasted = event.clipboardData.getData("text").trim();
    if (text !== "" || pasted === "") return;
    event.preventDefault();
    changeText(pasted);
    preview.mutate(sourceOf(pasted));
  }
  const { mutate: previewNow } = preview;
  useEffect(() => {
    if (initialText !== "") previewNow(sourceOf(initialText));
  }, [initialText, previewNow]);
  function archive(event: FormEvent) {
    event.preventDefault();
    start.mutate({ source: sourceOf(text.trim()), rightsConfirmed, again, quality });
  }

  const hasConsent = found?.ownerConsent?.withdrawnAt === null;
  const withdrawnAt = found?.ownerConsent?.withdrawnAt ?? null;
  const mayStart = found !== undefined && (hasConsent || rightsConfirmed);
  return (
    <Dialog
      title="New archive"
      dismissible={!start.isPending}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose} disabled={start.isPending}>
            {hasFiles && text === "" ? "Done" : "Cancel"}
          </Button>
          <Button
            kind="primary"
            busy={start.isPending}
            disabledReason={mayStart ? undefined : reasonNotToStart(found)}
            type="submit"
            form={formId}
          >
            {again ? "Archive again" : "Archive"}
          </Button>
        </>
      }
    >
      <DialogText>
        Copies a Twitch VOD, a video from a host that this service allows, or your own files into
        storage, and verifies every byte.
      </DialogText>
      <form className={styles.form} onSubmit={requestPreview}>
        <TextField
          label="Video address or VOD number"
          placeholder="https://www.twitch.tv/videos/2345678901"
          autoComplete="off"
          spellCheck={false}
          maxLength={MAX_SOURCE_ADDRESS_LENGTH}
          data-autofocus=""
          value={text}
          onPaste={paste}
          onChange={(event) => changeText(event.target.value)}
        />
        <Button type="submit" busy={preview.isPending} disabled={text.trim() === ""}>
          Preview
        </Button>
      </form>
      {preview.isError && <DialogError>{messageOf(preview.error)}</DialogError>}
      {found !== undefined && (
        <>
          <Preview preview={found} quality={quality} onQuality={setQuality} />
          {isDuplicate && found.existingUpload !== null && (
            <Existing
              isVod={found.vodId !== null}
              existing={found.existingUpload}
              onShowUpload={onShowUpload}
            />
          )}
          <form id={formId} onSubmit={archive}>
            {found.ownerConsent?.withdrawnAt === null ? (
              <p>
                The owner agreed to archiving on <DateTime at={found.ownerConsent.agreedAt} />.
              </p>
            ) : (
              <>
                {withdrawnAt !== null && (
                  <p>
                    The owner withdrew consent on <DateTime at={withdrawnAt} />.
                  </p>
                )}
                <Checkbox
                  checked={rightsConfirmed}
                  onChange={setRightsConfirmed}
                  label={`I confirm that we hold the rights to archive this video of ${visibleText(found.owner?.displayName ?? found.sourceHost ?? "")}. The confirmation is recorded.`}
                />
              </>
            )}
          </form>
          {!hasConsent && found.owner !== null && (
            <InviteOwner
              key={found.owner.twitchId}
              source={sourceOf(text.trim())}
              owner={found.owner}
            />
          )}
        </>
      )}
      {start.isError && <DialogError>{messageOf(start.error)}</DialogError>}
      {(found === undefined || hasFiles) && <ManualUploadPanel />}
    </Dialog>
  );
}

function reasonNotToStart(found: SourcePreview | undefined): string {
  if (found === undefined) return "Preview the video first.";
  return found.owner === null
    ? "Confirm that you hold the rights."
    : "Confirm that you hold the rights, because the owner has not agreed.";
}

function Existing({
  isVod,
  existing,
  onShowUpload,
}: {
  readonly isVod: boolean;
  readonly existing: NonNullable<SourcePreview["existingUpload"]>;
  readonly onShowUpload: (id: UploadId) => void;
}) {
  return (
    <Banner
      tone="warn"
      actions={<Button onClick={() => onShowUpload(existing.id)}>Open the existing one</Button>}
    >
      This {isVod ? "VOD" : "video"} was archived before:{" "}
      {UPLOAD_STATUS_LABELS[existing.status].toLowerCase()}.
    </Banner>
  );
}

function Preview({
  preview,
  quality,
  onQuality,
}: {
  readonly preview: SourcePreview;
  readonly quality: Quality;
  readonly onQuality: (quality: Quality) => void;
}) {
  const { owner, qualities, withheldRendition } = preview;
  const estimates = qualities.find((each) => each.quality === quality) ?? preview;
  return (
    <section className={styles.preview} aria-label="Preview">
      {preview.thumbnailUrl !== null && (
        <img
          className={styles.picture}
          src={preview.thumbnailUrl}
          alt=""
          width={640}
          height={360}
        />
      )}
      <h3 className={styles.title}>{visibleText(preview.title)}</h3>
      <p className={styles.owner}>
        {owner !== null && (
          <Avatar name={owner.displayName} imageUrl={owner.profileImageUrl} size={22} />
        )}
        <span>
          {visibleText(owner?.displayName ?? preview.sourceHost ?? "")} ·{" "}
          {preview.channelCategory !== null && `${visibleText(preview.channelCategory)} · `}
          <Time at={preview.createdAt} />
        </span>
      </p>
      {preview.restriction !== undefined && (
        <Banner tone="warn">{visibleText(preview.restriction)} An archive of it would fail.</Banner>
      )}
      {withheldRendition !== null && (
        <Banner tone="info">{withheldText(withheldRendition)}.</Banner>
      )}
      {qualities.length > 1 && (
        <Select
          label="Quality"
          value={quality}
          options={qualities.map((each) => ({ value: each.quality, label: optionText(each) }))}
          onChange={onQuality}
        />
      )}
      {preview.isRecording && (
        <Banner tone="info">The stream is still running: the archive follows it to its end.</Banner>
      )}
      <Figures
        figures={[
          ...(preview.durationSec === null
            ? []
            : [{ name: "Length", value: formatDuration(preview.durationSec) }]),
          { name: "Size (estimate)", value: formatBytes(estimates.estimatedSizeBytes) },
          { name: "Copying (estimate)", value: formatUsd(estimates.estimatedCostUsd) },
          {
            name: "Storage per month (estimate)",
            value: formatUsd(estimates.estimatedMonthlyStorageUsd),
          },
        ]}
      />
    </section>
  );
}

/** E.g. "At most 720p (720p60)". */
function optionText({ quality, rendition }: QualityOption): string {
  const label = QUALITY_LABELS[quality];
  return rendition === null || quality === "audio" ? label : `${label} (${visibleText(rendition)})`;
}
