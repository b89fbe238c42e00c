import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { getFile, type StoredFile } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { verifyFile } from "#contract/verification.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { formatCount, formatDateTime, formatPlural } from "#console/lib/format.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button } from "#console/ui/button.tsx";
import { Copyable, CopyButton } from "#console/ui/copy-button.tsx";
import type { Property } from "#console/ui/details.tsx";
import { Time } from "#console/ui/time.tsx";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";
import { FileStatusBadge, FileTypeBadge } from "./file-badges.tsx";
import { FileMarks } from "./file-marks.tsx";
import { fileProofQuery } from "./file-query.ts";
import { codecsOf, statusMeaningOf } from "./file-words.ts";

/** What the store holds. */
export function storedFacts(file: StoredFile): readonly Property[] {
  return [
    {
      name: "Size",
      value: (
        <>
          {formatBytes(file.size)}
          <small>{formatCount(file.size)} bytes</small>
        </>
      ),
    },
    { name: "Last Modified", value: formatDateTime(new Date(file.lastModified)) },
    { name: "Upload Type", value: <FileTypeBadge type={file.uploadType} /> },
    {
      name: "Status",
      value: (
        <>
          <FileStatusBadge status={file.status} />
          <small>{statusMeaningOf(file)}</small>
        </>
      ),
    },
    {
      name: "Kept",
      value: [file.lockedAt, file.trashedAt, file.sourceChange].some((mark) => mark !== null) && (
        <FileMarks file={file} />
      ),
    },
    {
      name: "Library",
      value: file.libraryPath !== undefined && (
        <Copyable text={file.libraryPath} label="path in the library folder" />
      ),
    },
  ];
}

/** What its bytes are, and what proves that they are still those of the source. */
export function proofFacts(file: StoredFile): readonly Property[] {
  const { tag } = file.metadata;
  const format = formatOf(file);
  const isWhole = file.status !== "orphaned" && file.uploadType !== "chunk";
  return [
    {
      name: "Format",
      value: format !== "" && (
        <>
          {format}
          <small>
            {codecsOf(file)
              .map(({ id }) => visibleText(id))
              .join(", ")}
          </small>
        </>
      ),
    },
    { name: "Verified", value: isWhole && <Verified file={file} /> },
    { name: "Digests", value: isWhole && <Digests file={file} /> },
    { name: "ETag", value: typeof tag === "string" && <Copyable text={tag} label="ETag" /> },
  ];
}

/** E.g. "1920x1080 · H.264, AAC". */
function formatOf(file: StoredFile): string {
  const names = codecsOf(file).map(({ name }) => name);
  return [file.metadata["resolution"], names.length > 0 && names.join(", ")]
    .filter((part) => typeof part === "string")
    .map((part) => visibleText(part))
    .join(" · ");
}

/** When its bytes were last compared with their digests, and a button to do so now. */
function Verified({ file }: { readonly file: StoredFile }) {
  const queryClient = useQueryClient();
  const verify = useMutation({
    mutationFn: () => call(verifyFile, { body: { key: file.key } }),
    onSuccess: () => toast.success("The file will be verified now"),
    onError: (error) => toastError(messageOf(error)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keyOf(getFile).slice(0, 2) }),
  });
  const missing = useMissingPermission("write:uploads");
  return (
    <>
      <span>
        <Time at={file.verifiedAt} absent="Not yet" />
        {file.isVerificationDue && " · will be read again now"}
      </span>
      {!file.isVerificationDue && (
        <Button
          kind="quiet"
          icon={<CircleCheck />}
          busy={verify.isPending}
          disabledReason={missing}
          onClick={() => verify.mutate()}
        >
          Verify Now
        </Button>
      )}
    </>
  );
}

function Digests({ file }: { readonly file: StoredFile }) {
  const { data, error } = useQuery(fileProofQuery(file.key));
  if (data === undefined) return (error && messageOf(error)) ?? "Loading...";
  const { partSha256, partSizeBytes } = data;
  if (partSha256.length === 0) return "None";
  return (
    <>
      SHA-256 of {formatPlural(partSha256.length, "part")}
      {partSha256.length > 1 && ` of ${formatBytes(partSizeBytes)}`}
      <CopyButton text={partSha256.join("\n")} label="Copy digests" />
    </>
  );
}
