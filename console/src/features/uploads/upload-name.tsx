import type { Upload } from "#contract/upload.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import styles from "./uploads-table.module.css";

/** The stream's title, with owner and filename below. */
export function UploadName({ upload }: { readonly upload: Upload }) {
  const { streamTitle } = upload.metadata;
  const owner = upload.owner === null ? "" : `${upload.owner.displayName} · `;
  return (
    <div className={styles.file}>
      <span className={styles.title}>{visibleText(streamTitle ?? upload.filename)}</span>
      <span className={styles.name}>{visibleText(`${owner}${upload.filename}`)}</span>
    </div>
  );
}
