import { BrokenPart } from "./broken-part.tsx";
import { ErrorState } from "./error-state.tsx";
import { ForbiddenState } from "./forbidden-state.tsx";

export function Failed() {
  return (
    <ErrorState
      title="Failed to load"
      message="The server can't be reached."
      onRetry={() => undefined}
    />
  );
}

export function Retrying() {
  return <ErrorState title="Failed to load" onRetry={() => undefined} retrying />;
}

export function Broken() {
  return <BrokenPart title="This part could not be shown" error={new Error("refused")} />;
}

export function Forbidden() {
  return <ForbiddenState permission="read:users" />;
}
