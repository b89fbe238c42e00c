import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { Bookmark, BookmarkPlus, Check, ListX } from "lucide-react";
import { useState } from "react";
import type { ViewScreen } from "#contract/views.ts";
import { stringifySearch, type RawSearch } from "#console/lib/search-params.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button } from "#console/ui/button.tsx";
import { Menu } from "#console/ui/menu.tsx";
import styles from "./saved-views.module.css";
import { addressOfView, viewsQuery } from "./view-queries.ts";
import { SaveViewDialog } from "./save-view-dialog.tsx";
import { ManageViewsDialog } from "./manage-views-dialog.tsx";

/**
 * Named filters and orders of a list. A view is an address: opening one navigates there, and Back
 * leaves it.
 */
export function SavedViews({
  screen,
  current,
}: {
  readonly screen: ViewScreen;
  /** Filters and order from the list's address, without page and open details. */
  readonly current: RawSearch;
}) {
  const router = useRouter();
  const { data } = useQuery(viewsQuery());
  const [dialog, setDialog] = useState<"save" | "manage" | null>(null);
  const views = (data?.views ?? []).filter((view) => view.screen === screen);
  const search = stringifySearch(current).slice(1);
  const chosen = views.find((view) => view.search === search);
  const isPlain = search === "";
  return (
    <>
      <Menu
        label="Saved views"
        items={[
          ...views.map((view) => ({
            label: visibleText(view.name),
            icon: view === chosen ? <Check /> : <Bookmark />,
            current: view === chosen,
            onSelect: () => void router.navigate({ href: addressOfView(view) }),
          })),
          {
            label: "Save this view...",
            icon: <BookmarkPlus />,
            disabledReason: isPlain ? "Search, filter or sort the list first." : undefined,
            onSelect: () => setDialog("save"),
          },
          {
            label: "Manage views...",
            icon: <ListX />,
            disabledReason:
              views.length === 0 ? "There are no saved views for this list." : undefined,
            onSelect: () => setDialog("manage"),
          },
        ]}
        renderTrigger={(props) => (
          <Button {...props} icon={<Bookmark />}>
            <span className={styles.chosen}>
              {chosen === undefined ? "Views" : `View: ${visibleText(chosen.name)}`}
            </span>
          </Button>
        )}
      />
      {dialog === "save" && (
        <SaveViewDialog
          screen={screen}
          search={search}
          taken={views.map(({ name }) => name)}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === "manage" && <ManageViewsDialog views={views} onClose={() => setDialog(null)} />}
    </>
  );
}
