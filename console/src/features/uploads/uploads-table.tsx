import { ArrowUp } from "lucide-react";
import { useRef, useState, type ReactNode } from "react";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import type { Upload } from "#contract/upload.ts";
import { Button } from "#console/ui/button.tsx";
import { SkeletonRows, Table } from "#console/ui/list/table.tsx";
import { useHeldRows } from "./held-rows.ts";
import { UPLOAD_COLUMNS, UploadRow } from "./upload-row.tsx";
import styles from "./uploads-table.module.css";

/**
 * The live table. While the pointer or focus is in it, no row moves: new rows wait behind a button
 * that shows their number.
 */
export function UploadsTable({
  uploads,
  scope,
  busy,
  openId,
  onToggle,
  renderMenu,
}: {
  /** Undefined until the first answer. */
  readonly uploads: readonly Upload[] | undefined;
  /** Identifies the list, so that another one is shown at once. */
  readonly scope: string;
  readonly busy: boolean;
  readonly openId: string | undefined;
  /** Keep both stable between renders, so that unchanged rows do not render again. */
  readonly onToggle: (upload: Upload) => void;
  readonly renderMenu: (upload: Upload) => ReactNode;
}) {
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const holder = useRef<HTMLDivElement>(null);
  const { rows, arrived, showArrived } = useHeldRows(uploads ?? [], scope, pointed || focused);
  return (
    // Pointer and focus only decide whether rows may move.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      ref={holder}
      className={styles.holder}
      onPointerEnter={(event) => setPointed(event.pointerType === "mouse")}
      onPointerLeave={() => setPointed(false)}
      onFocus={() => setFocused(true)}
      onBlur={(event) => setFocused(holder.current?.contains(event.relatedTarget) === true)}
    >
      {arrived > 0 && (
        <Button
          kind="primary"
          className={styles.pill ?? ""}
          icon={<ArrowUp />}
          onClick={showArrived}
        >
          {arrived} new
        </Button>
      )}
      <Table caption="Uploads" columns={UPLOAD_COLUMNS} busy={busy} stacked>
        {uploads === undefined ? (
          <SkeletonRows rows={DEFAULT_PAGE_SIZE} columns={UPLOAD_COLUMNS.length} />
        ) : (
          rows.map((upload) => (
            <UploadRow
              key={upload.id}
              upload={upload}
              open={upload.id === openId}
              onToggle={onToggle}
              renderMenu={renderMenu}
            />
          ))
        )}
      </Table>
    </div>
  );
}
