import { ArrowUp } from "lucide-react";
import { useRef, useState } from "react";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import type { Upload } from "#contract/upload.ts";
import type { List } from "#console/lib/use-list.ts";
import { Button } from "#console/ui/button.tsx";
import { SkeletonFacts } from "#console/ui/facts.tsx";
import { lazyPart } from "#console/ui/lazy-part.tsx";
import { DataTable, type Column } from "#console/ui/list/data-table.tsx";
import { useHeldRows } from "./held-rows.ts";
import styles from "./uploads-table.module.css";

/** Loads when the first debug panel opens. */
const DebugPanel = lazyPart(
  async () => (await import("./upload-debug-panel.tsx")).UploadDebugPanel,
  <SkeletonFacts rows={6} />,
);

/**
 * The live table. While the pointer or focus is in it, no row moves: new rows wait behind a button
 * that shows their number.
 */
export function UploadsTable({
  list,
  columns,
  scope,
  openId,
  onToggle,
}: {
  readonly list: List<Upload>;
  /** Keep these and `onToggle` stable, so that unchanged rows do not render again. */
  readonly columns: readonly Column<Upload>[];
  /** Identifies the list, so that another one is shown at once. */
  readonly scope: string;
  readonly openId: string | undefined;
  readonly onToggle: (upload: Upload) => void;
}) {
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const holder = useRef<HTMLDivElement>(null);
  const { rows, arrived, showArrived } = useHeldRows(list.rows ?? [], scope, pointed || focused);
  return (
    // Pointer and focus only decide whether rows may move.
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
      <DataTable
        list={list}
        rows={list.rows && rows}
        caption="Uploads"
        columns={columns}
        idOf={idOf}
        skeletonRows={DEFAULT_PAGE_SIZE}
        detail={{ openId, onToggle, render: renderDebugPanel, flush: true }}
      />
    </div>
  );
}

function idOf({ id }: Upload): string {
  return id;
}

function renderDebugPanel(upload: Upload) {
  return <DebugPanel upload={upload} />;
}
