import { Archive } from "lucide-react";
import { Button } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { ErrorState } from "#console/ui/error-state.tsx";
import { ForbiddenState } from "#console/ui/forbidden-state.tsx";
import { VideoPlayer } from "#console/ui/video-player.tsx";

/** What a panel shows instead of its content; last, a player that has nothing to play yet. */
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
      <Card>
        <VideoPlayer source={undefined} title="Sample video" />
      </Card>
    </>
  );
}
