import { useQueryClient } from "@tanstack/react-query";
import { useSelector } from "@tanstack/react-store";
import { useId, useRef, useState, type FormEvent, type KeyboardEvent } from "react";
import type { UploadId } from "#contract/ids.ts";
import type { Quality } from "#contract/quality.ts";
import type { SourcePreview as Preview } from "#contract/source-preview.ts";
import { InviteOwner } from "#console/domain/uploads/invite-owner.tsx";
import { ApiError, messageOf } from "#console/lib/api-error.ts";
import { bulkState } from "#console/lib/bulk-state.ts";
import { formatPlural } from "#console/lib/format.ts";
import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";
import { Dialog, DialogError, DialogText } from "#console/ui/dialog.tsx";
import { LinesField } from "#console/ui/lines-field.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { UPLOAD_STATUS_LABELS } from "#console/ui/upload-status-badge.tsx";
import {
  ArchiveRights,
  findUnconfirmed,
  hasConsent,
  nameOf,
  rightsOf,
  useRights,
} from "./archive-rights.tsx";
import { ChannelLine } from "./channel-line.tsx";
import { ChosenFigures, FoundVideosTable } from "./found-videos-table.tsx";
import {
  linesOf,
  MAX_LINES,
  PREVIEW_KEY,
  sourceOf,
  useFoundVideos,
  type FoundVideo,
} from "./found-videos.ts";
import { ManualUploadPanel } from "./manual-upload-panel.tsx";
import { useManualUploads } from "./manual-upload.ts";
import { ALL_OF_IT, readPart } from "./part-fields.tsx";
import { SourcePreview } from "./source-preview.tsx";
import { countStarted, STARTED, useStartArchives, type Start } from "./start-archives.ts";

/**
 * Starts archives: shows what would be copied and its cost, and asks to confirm the rights. One
 * video closes the dialog; several are chosen from a table, which then shows what became of each.
 */
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
  const formId = useId();
  const [text, setText] = useState(initialText);
  const [asked, setAsked] = useState<ReadonlySet<string>>(() => new Set(linesOf(initialText)));
  const [choices, setChoices] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [quality, setQuality] = useState<Quality>("best");
  const [typedPart, setTypedPart] = useState(ALL_OF_IT);
  const isPasting = useRef(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const rights = useRights();
  const { one, many, outcomes, reset } = useStartArchives();
  const isBulkBusy = useSelector(bulkState, ({ progress }) => progress !== null);
  const hasFiles = useManualUploads().length > 0;

  const lines = linesOf(text);
  const shown = lines.slice(0, MAX_LINES).filter((line) => asked.has(line));
  const { found, isLooking } = useFoundVideos(shown);
  const isMany = shown.length > 1;
  const hasBegun = many.isPending || many.isSuccess;
  const chosen = found.flatMap((video) => {
    const { line, preview } = video;
    return preview !== undefined && (!isMany || isChosen(video)) ? [{ line, preview }] : [];
  });
  const previews = chosen.map(({ preview }) => preview);
  const [single] = isMany ? [] : found;
  const part = single?.preview === undefined ? undefined : readPart(typedPart, single.preview);

  /** Chosen by default: what is not archived yet and can be. */
  function isChosen({ line, preview, isRepeated }: FoundVideo): boolean {
    if (preview === undefined || isRepeated) return false;
    const { existingUpload, restriction } = preview;
    return choices.get(line) ?? (existingUpload === null && restriction === undefined);
  }
  function lookUp(next: string) {
    setAsked(new Set(linesOf(next)));
  }
  function changeText(next: string) {
    setText(next);
    setQuality("best");
    setTypedPart(ALL_OF_IT);
    one.reset();
    if (isPasting.current) lookUp(next);
    isPasting.current = false;
  }
  function requestPreview(event: FormEvent) {
    event.preventDefault();
    lookUp(text);
    void queryClient.invalidateQueries({ queryKey: [PREVIEW_KEY] });
  }
  /** Looks up what is new; else, as with Shift, begins a line. */
  function pressEnter(event: KeyboardEvent) {
    const isNew = lines.some((line) => !asked.has(line));
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing || !isNew) return;
    event.preventDefault();
    lookUp(text);
  }
  const hasBecomeDuplicate =
    one.error instanceof ApiError && one.error.details["again"] !== undefined;
  function startOf(line: string, preview: Preview): Start {
    const again = hasBecomeDuplicate || (part === undefined && preview.existingUpload !== null);
    return {
      source: sourceOf(line),
      again,
      quality,
      ...(typeof part === "object" && { part }),
      ...rightsOf(preview, rights),
    };
  }
  function archive(event: FormEvent) {
    event.preventDefault();
    if (isMany)
      many.mutate(new Map(chosen.map((each) => [each.line, startOf(each.line, each.preview)])));
    for (const { line, preview } of isMany ? [] : chosen)
      one.mutate(startOf(line, preview), {
        onSuccess() {
          toast.success(STARTED);
          onClose();
        },
      });
  }
  function startOver() {
    setText("");
    setAsked(new Set());
    setChoices(new Map());
    reset();
    field.current?.focus();
  }

  // A part is another upload than that of its VOD.
  const existing = part === undefined ? (single?.preview?.existingUpload ?? null) : null;
  const again = existing !== null || hasBecomeDuplicate;
  const unconfirmed = findUnconfirmed(previews, rights);
  const isBusy = one.isPending || many.isPending;
  return (
    <Dialog
      title="New archive"
      shape={isMany ? "wide" : "normal"}
      dismissible={!one.isPending}
      onClose={onClose}
      footer={
        many.isSuccess ? (
          <>
            <Button onClick={startOver}>Archive more</Button>
            <Button kind="primary" onClick={onClose}>
              Done
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose} disabled={one.isPending}>
              {many.isPending ? "Close" : hasFiles && text === "" ? "Done" : "Cancel"}
            </Button>
            <Button
              kind="primary"
              busy={isBusy}
              disabledReason={isBusy ? undefined : reasonNotToStart()}
              type="submit"
              form={formId}
            >
              {isMany
                ? `Archive ${formatPlural(chosen.length, "VOD")}`
                : again
                  ? "Archive again"
                  : part === undefined
                    ? "Archive"
                    : "Archive this part"}
            </Button>
          </>
        )
      }
    >
      <DialogText>
        Copies a Twitch VOD, a video from a host that this service allows, or your own files into
        storage, and verifies every byte. Put each of several on a line of its own, up to{" "}
        {MAX_LINES}.
      </DialogText>
      <form className="row bottom growFirst" onSubmit={requestPreview}>
        <LinesField
          ref={field}
          label="Video address or VOD number"
          placeholder="https://www.twitch.tv/videos/2345678901"
          autoComplete="off"
          spellCheck={false}
          data-autofocus=""
          readOnly={hasBegun}
          value={text}
          onKeyDown={pressEnter}
          onPaste={() => (isPasting.current = true)}
          onChange={(event) => changeText(event.target.value)}
        />
        <Button type="submit" busy={isLooking} disabled={lines.length === 0 || hasBegun}>
          Preview
        </Button>
      </form>
      {lines.length > MAX_LINES && (
        <DialogError>
          These are {lines.length} lines. Only the first {MAX_LINES} are looked up.
        </DialogError>
      )}
      {single !== undefined && single.error !== null && (
        <DialogError>{messageOf(single.error)}</DialogError>
      )}
      {typeof single?.channel === "string" && (
        <Banner tone="info">
          <ChannelLine login={single.channel} />
        </Banner>
      )}
      {single?.preview !== undefined && (
        <SourcePreview
          preview={single.preview}
          quality={quality}
          onQuality={setQuality}
          typedPart={typedPart}
          onTypePart={(typed) => {
            one.reset();
            setTypedPart(typed);
          }}
        />
      )}
      {existing !== null && (
        <Banner
          tone="warn"
          actions={<Button onClick={() => onShowUpload(existing.id)}>Open the existing one</Button>}
        >
          This {single?.preview?.vodId === null ? "video" : "VOD"} was archived before:{" "}
          {UPLOAD_STATUS_LABELS[existing.status].toLowerCase()}.
        </Banner>
      )}
      {isMany && <ChosenFigures previews={previews} quality={quality} onQuality={setQuality} />}
      {hasBegun ? (
        <p role="status">
          {countStarted(outcomes)} of {formatPlural(chosen.length, "archive")} started
          {many.isPending ? "…" : "."}
        </p>
      ) : (
        previews.length > 0 && (
          <form id={formId} className="stack" onSubmit={archive}>
            <ArchiveRights previews={previews} rights={rights} />
          </form>
        )
      )}
      {isMany && (
        <FoundVideosTable
          found={found}
          quality={quality}
          outcomes={outcomes}
          isFixed={hasBegun}
          isChosen={isChosen}
          onChoose={(line, next) => setChoices((before) => new Map(before).set(line, next))}
        />
      )}
      {single?.preview !== undefined &&
        single.preview.owner !== null &&
        !hasConsent(single.preview) && (
          <InviteOwner
            key={single.preview.owner.twitchId}
            source={sourceOf(single.line)}
            owner={single.preview.owner}
          />
        )}
      {one.isError && <DialogError>{messageOf(one.error)}</DialogError>}
      {((single?.preview === undefined && !isMany) || hasFiles) && <ManualUploadPanel />}
    </Dialog>
  );

  function reasonNotToStart(): string | undefined {
    if (isMany && isBulkBusy) return "Another action is still running.";
    if (isMany && found.some(isBeingLookedUp)) return "Some lines are still being looked up.";
    if (chosen.length === 0) return isMany ? "Choose a video." : "Preview the video first.";
    if (typeof part === "string") return part;
    if (unconfirmed === undefined) return undefined;
    if (unconfirmed.owner === null) return "Confirm that you hold the rights.";
    return isMany
      ? `Confirm that you hold the rights to the videos of ${nameOf(unconfirmed)}.`
      : "Confirm that you hold the rights, because the owner has not agreed.";
  }
}

function isBeingLookedUp({ channel, preview, error }: FoundVideo): boolean {
  return channel === null && preview === undefined && error === null;
}
