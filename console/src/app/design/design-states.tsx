import { useQuery } from "@tanstack/react-query";
import { Archive } from "lucide-react";
import { Button } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { ErrorState } from "#console/ui/error-state.tsx";
import { ForbiddenState } from "#console/ui/forbidden-state.tsx";
import { Panels } from "#console/ui/panels.tsx";
import { QueryCard } from "#console/ui/query-card.tsx";
import { VideoPlayer } from "#console/ui/video-player.tsx";

/** A query card in each state: pending forever, failed, answered. */
function QueryCards() {
  const options = { retry: false, staleTime: Infinity };
  const loading = useQuery({
    ...options,
    queryKey: ["sample", "loading"],
    queryFn: () => new Promise<string>(() => undefined),
  });
  const failed = useQuery({
    ...options,
    queryKey: ["sample", "failed"],
    queryFn: () => Promise.reject<string>(new Error("refused")),
  });
  const answered = useQuery({
    ...options,
    queryKey: ["sample", "answered"],
    queryFn: () => Promise.resolve("What it answered."),
  });
  return (
    <Panels>
      {Object.entries({ Loading: loading, Failed: failed, Answered: answered }).map(
        ([title, query]) => (
          <QueryCard
            key={title}
            title={title}
            query={query}
            permission="read:system"
            intervalMs={false}
          >
            {(text) => <p>{text}</p>}
          </QueryCard>
        ),
      )}
    </Panels>
  );
}

/** Placeholders for a panel's content, and a player without a source. */
export function States() {
  return (
    <>
      <Card>
        <EmptyState
          icon={<Archive />}
          title="Nothing here"
          hint="Why, and what to do."
          action={<Button>Do it</Button>}
        />
      </Card>
      <Card>
        <ErrorState
          title="Failed to load"
          message="The server can't be reached."
          onRetry={() => undefined}
        />
      </Card>
      <Card>
        <ForbiddenState permission="read:users" />
      </Card>
      <QueryCards />
      <Card>
        <VideoPlayer source={undefined} title="Sample video" />
      </Card>
    </>
  );
}
