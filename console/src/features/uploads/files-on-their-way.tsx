import { useSelector } from "@tanstack/react-store";
import { FileUp } from "lucide-react";
import { formatPlural } from "#console/lib/format.ts";
import { Button } from "#console/ui/button.tsx";
import { unsentFiles } from "./unsent-files.ts";

/** Reopens the dialog of files that this browser is sending. */
export function FilesOnTheirWay({ onOpen }: { readonly onOpen: () => void }) {
  const count = useSelector(unsentFiles);
  if (count === 0) return null;
  return (
    <Button icon={<FileUp />} aria-haspopup="dialog" onClick={onOpen}>
      Sending {formatPlural(count, "file")}
    </Button>
  );
}
