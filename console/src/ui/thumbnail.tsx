import { FileVideo } from "lucide-react";
import type { ReactNode } from "react";
import type { UploadId } from "#contract/ids.ts";
import { apiAddress } from "#console/lib/api-address.ts";
import { classNames } from "./class-names.ts";
import styles from "./thumbnail.module.css";

/**
 * The picture of an upload, decorative beside its name. Without one, or until it is loaded, a
 * surface of the same size shows `children`.
 */
export function Thumbnail({
  uploadId,
  children = <FileVideo />,
}: {
  /** Null for an upload without a picture. */
  readonly uploadId: UploadId | null;
  readonly children?: ReactNode;
}) {
  return (
    <span className={classNames("centre soft", styles.thumbnail)}>
      {children}
      {uploadId !== null && (
        <img
          key={uploadId}
          src={apiAddress(`/admin/uploads/${uploadId}/thumbnail`)}
          alt=""
          loading="lazy"
          // A picture that cannot be loaded would cover the surface with the browser's sign for it.
          onError={({ currentTarget }) => {
            currentTarget.style.visibility = "hidden";
          }}
        />
      )}
    </span>
  );
}
