import { Link } from "@tanstack/react-router";
import type { Upload } from "#contract/upload.ts";
import { canWatch } from "./upload-rules.ts";

/** The title of an upload, which leads to the video if that can be watched. */
export function WatchLink({ upload, title }: { readonly upload: Upload; readonly title: string }) {
  if (!canWatch(upload)) return title;
  return (
    <Link to="/watch/$uploadId" params={{ uploadId: upload.id }}>
      {title}
    </Link>
  );
}
