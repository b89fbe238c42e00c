import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { RotateCw, Save } from "lucide-react";
import { useState } from "react";
import type { ScreenOpening } from "#console/lib/screen-opening.ts";
import { useCan } from "#console/lib/session.ts";
import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";
import { LeaveGuard } from "#console/ui/leave-guard.tsx";
import { lazyPart } from "#console/ui/lazy-part.tsx";
import { Page, type ScreenProps } from "#console/ui/page.tsx";
import { Tabs } from "#console/ui/tabs.tsx";
import { AccountPanel } from "./account-panel.tsx";
import { ContactCard } from "./contact-card.tsx";
import { DeliveryLog } from "./delivery-log.tsx";
import { EventList } from "./event-list.tsx";
import { refusedFields, useSavePreferences } from "./notification-actions.ts";
import { configQuery, preferencesQuery } from "./notification-queries.ts";
import styles from "./notifications-page.module.css";
import { draftOf, EMPTY_DRAFT, isSameDraft, type PreferenceDraft } from "./preference-draft.ts";

const later = () => import("./later-parts.ts");
const WebhooksCard = lazyPart(async () => (await later()).WebhooksCard);
const ApiTokens = lazyPart(async () => (await later()).ApiTokens);
const SessionsCard = lazyPart(async () => (await later()).SessionsCard);
const GeneralCards = lazyPart(async () => (await later()).GeneralCards);

const route = getRouteApi("/notifications");

const VIEWS = [
  { id: "notifications", label: "Notifications" },
  { id: "webhooks", label: "Webhooks" },
  { id: "tokens", label: "API Tokens" },
  { id: "sessions", label: "Sessions" },
  { id: "general", label: "General" },
] as const;

function prefetchNotifications({ queryClient }: ScreenOpening) {
  void queryClient.prefetchQuery(configQuery());
  return queryClient.prefetchQuery(preferencesQuery());
}

/**
 * The preferences form. It is **clean** while it matches what is stored, then **dirty** until saved
 * or discarded. Input survives a refusal and a poll.
 */
function NotificationsPage({ title }: ScreenProps) {
  const { view, new: isNew } = route.useSearch();
  const navigate = route.useNavigate();
  const mayReadSystem = useCan("read:system");
  const preferences = useQuery(preferencesQuery());
  const config = useQuery(configQuery());
  const save = useSavePreferences();
  const [edited, setEdited] = useState<PreferenceDraft | null>(null);

  const stored = preferences.data === undefined ? EMPTY_DRAFT : draftOf(preferences.data);
  const draft = edited ?? stored;
  const isDirty = edited !== null && !isSameDraft(edited, stored);
  const isReady = preferences.data !== undefined;
  const isLoading = preferences.isPending || config.isPending;
  const hasFailed = preferences.isError || config.isError;

  function saveEdits() {
    save.mutate(draft, { onSuccess: () => setEdited(null) });
  }
  function discard() {
    setEdited(null);
    save.reset();
    // The banner vanishes with its buttons.
    document.querySelector<HTMLElement>("[data-page-title]")?.focus();
  }
  return (
    <Page
      title={title}
      subtitle={
        view === undefined
          ? "Choose how you are notified. These settings apply only to you."
          : undefined
      }
      actions={
        view === undefined && (
          <Button
            kind="primary"
            icon={<Save />}
            busy={save.isPending}
            disabledReason={isDirty ? undefined : "There are no unsaved changes."}
            onClick={saveEdits}
          >
            Save Changes
          </Button>
        )
      }
    >
      {isDirty && (
        <div className={styles.unsaved}>
          <Banner
            tone="warn"
            actions={
              <span className="row">
                <Button onClick={discard} disabled={save.isPending}>
                  Discard
                </Button>
                <span className={styles.saveHere}>
                  <Button kind="primary" busy={save.isPending} onClick={saveEdits}>
                    Save
                  </Button>
                </span>
              </span>
            }
          >
            You have unsaved changes. Event tests use what is saved, the Telegram test the ID in its
            field.
          </Banner>
        </div>
      )}
      <Tabs
        label="Settings"
        tabs={VIEWS.filter(({ id }) => id !== "webhooks" || mayReadSystem)}
        chosen={view ?? "notifications"}
        onChoose={(id) => {
          const search = { view: id === "notifications" ? undefined : id };
          void navigate({ search, replace: true, resetScroll: false });
        }}
      >
        <div className="stack gap4">
          {view === undefined && (
            <>
              {hasFailed && (
                <Banner
                  tone="bad"
                  actions={
                    <Button
                      icon={<RotateCw />}
                      busy={preferences.isFetching || config.isFetching}
                      onClick={() => {
                        void preferences.refetch();
                        void config.refetch();
                      }}
                    >
                      Retry
                    </Button>
                  }
                >
                  Failed to load notification configuration. Please refresh the page or check your
                  authentication.
                </Banner>
              )}
              <ContactCard
                draft={draft}
                disabled={!isReady || save.isPending}
                faults={refusedFields(save.error)}
                refused={save.variables}
                config={config.data}
                onChange={setEdited}
              />
              {!config.isError && (
                <EventList
                  config={config.data}
                  draft={draft}
                  disabled={!isReady || save.isPending}
                  onChange={setEdited}
                />
              )}
              <DeliveryLog />
              {!config.isError && <AccountPanel account={config.data?.account} />}
              {isLoading && !hasFailed && (
                <div className={styles.loading} data-skeleton="">
                  <Banner tone="info">
                    Loading notification configuration... Preferences are loading. Authentication is
                    needed to configure and test notifications.
                  </Banner>
                </div>
              )}
            </>
          )}
          {view === "webhooks" && mayReadSystem && <WebhooksCard isNew={isNew !== undefined} />}
          {view === "tokens" && <ApiTokens isNew={isNew !== undefined} />}
          {view === "sessions" && <SessionsCard />}
          {view === "general" && <GeneralCards isNew={isNew !== undefined} />}
        </div>
      </Tabs>
      <LeaveGuard
        isDirty={isDirty}
        question="Your changes to the notification preferences have not been saved."
      />
    </Page>
  );
}

export { NotificationsPage as Screen, prefetchNotifications as prefetch };
