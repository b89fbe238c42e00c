import { Link } from "@tanstack/react-router";
import { useCan } from "#console/lib/session.ts";
import { buttonClassName } from "#console/ui/button.tsx";

/** The step out of an empty list or card; nothing for users who may not start an archive. */
export function ArchiveLink() {
  return (
    useCan("write:uploads") && (
      <Link to="/uploads" search={{ archive: "new" }} className={buttonClassName("secondary")}>
        Archive a VOD
      </Link>
    )
  );
}
