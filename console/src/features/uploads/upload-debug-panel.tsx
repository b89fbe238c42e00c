import { Copy } from "lucide-react";
import type { Upload } from "#contract/upload.ts";
import {
  copyFacts,
  ProgressHistory,
  sessionFacts,
  videoFacts,
} from "#console/domain/uploads/upload-facts.tsx";
import { Button } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { copyText } from "#console/ui/copy-text.ts";
import { Details } from "#console/ui/details.tsx";
import { toast } from "#console/ui/toast-store.ts";
import styles from "./upload-debug-panel.module.css";
import { UploadTrouble } from "./upload-trouble.tsx";

/** All that is known of one upload, below its row. */
export function UploadDebugPanel({ upload }: { readonly upload: Upload }) {
  return (
    <div className={classNames("stack gap4", styles.panel)}>
      <UploadTrouble upload={upload} />
      <UploadFacts upload={upload} />
    </div>
  );
}

export function UploadFacts({ upload }: { readonly upload: Upload }) {
  const groups = {
    Video: <Details properties={videoFacts(upload)} />,
    Copy: <Details properties={copyFacts(upload)} />,
    Session: <Details properties={sessionFacts(upload)} />,
    "Progress history": <ProgressHistory upload={upload} />,
  };
  const json = () => JSON.stringify(upload, null, 2);
  return (
    <>
      <div className={styles.groups}>
        {Object.entries(groups).map(([title, facts]) => (
          <section key={title} className="stack">
            <h2 className="tiny soft">{title}</h2>
            {facts}
          </section>
        ))}
      </div>
      <div>
        <Button
          icon={<Copy />}
          onClick={() => void copyText(json(), () => toast.success("Copied"))}
        >
          Copy as JSON
        </Button>
      </div>
    </>
  );
}
