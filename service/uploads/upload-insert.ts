import type { Quality } from "#contract/quality.ts";
import type { UploadKind } from "#contract/upload.ts";
import type { AuditInput } from "#service/changes/audit-entry.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { addChat } from "#service/storage/chat-record.ts";
import { vodOf } from "#service/storage/item-id.ts";
import { archiveFilename } from "#service/storage/object-keys.ts";
import { hasUpload } from "#service/storage/upload-vod.ts";

export type NewArchive = {
  readonly id: string;
  readonly kind: UploadKind;
  readonly itemId: string;
  readonly sourceUrl: string | null;
  readonly fileStem: string;
  readonly title: string;
  readonly ownerId: string;
  readonly initiatedBy: string;
  /** Of the owner's consent; null if it rests on the administrator's word. */
  readonly textVersion: number | null;
  readonly quality: Quality;
  readonly durationSec: number | null;
  readonly recordedAtMs: number | null;
  readonly isGrowing: boolean;
  readonly hasChat: boolean;
  readonly byRule: boolean;
  readonly maxRetries: number;
};

/**
 * The statements that add an archive to the queue, with its audit entry. Run them by `batchIf` with
 * a condition for the rights and for an earlier upload of the same item. The date of danger is that
 * of the VOD, if it was seen in a channel's list.
 */
export function insertArchive(
  archive: NewArchive,
  nowMs: number,
  audit: Omit<AuditInput, "atMs" | "action" | "target">,
): readonly Statement[] {
  return [
    ...recordedChange(
      sql`INSERT INTO uploads (id, kind, vod_id, source_url, filename, title, owner_id, initiated_by,
        rights, consent_text_version, quality, status, duration_sec, max_retries, recorded_at,
        is_live, by_rule, danger_at, created_at, updated_at)
      SELECT ${archive.id}, ${archive.kind}, ${archive.itemId}, ${archive.sourceUrl},
        ${archiveFilename(archive.fileStem, "ts")}, ${archive.title}, owner.id,
        ${archive.initiatedBy},
        ${archive.textVersion === null ? "administrator_confirmed" : "owner_signed_in"},
        ${archive.textVersion}, ${archive.quality}, 'pending', ${archive.durationSec},
        ${archive.maxRetries}, ${archive.recordedAtMs}, ${Number(archive.isGrowing)},
        ${Number(archive.byRule)},
        (SELECT danger_at FROM vods WHERE vod_id = ${vodOf(archive.itemId)}), ${nowMs}, ${nowMs}
      FROM users owner WHERE owner.id = ${archive.ownerId}`,
      nowMs,
      { audit: { ...audit, action: "upload.start", target: archive.id } },
    ),
    hasUpload(sql`SELECT ${archive.itemId}`),
    ...(archive.hasChat ? addChat(archive.id, !archive.isGrowing, nowMs) : []),
  ];
}
