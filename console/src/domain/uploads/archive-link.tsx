import { Link } from "@tanstack/react-router";
import { useCan } from "#console/lib/session.ts";
import { buttonClassName } from "#console/ui/button.tsx";

/** Opens the dialog for new archives; nothing for users who may not start one. */
export function ArchiveLink({ text = "Archive a VOD" }: { readonly text?: string }) {
  return (
    useCan("write:uploads") && (
      <Link to="/uploads" search={{ archive: "new" }} className={buttonClassName("secondary")}>
        {text}
      </Link>
    )
  );
}
