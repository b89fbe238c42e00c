import { Download, FileVideo } from "lucide-react";
import type { ObjectKey } from "#contract/files.ts";
import { Button } from "#console/ui/button.tsx";
import { withSaves } from "./save-stored.ts";

/** Saves selected files into one folder, as they are or as MP4. */
export function SaveSelected({
  files,
}: {
  readonly files: readonly {
    readonly key: ObjectKey;
    readonly name: string;
    readonly size: number;
  }[];
}) {
  return (
    <>
      <Button
        icon={<FileVideo />}
        disabled={files.length === 0}
        onClick={() => void withSaves((saves) => saves.saveSelected(files, true))}
      >
        Save as MP4
      </Button>
      <Button
        icon={<Download />}
        disabled={files.length === 0}
        onClick={() => void withSaves((saves) => saves.saveSelected(files, false))}
      >
        Download
      </Button>
    </>
  );
}
