import { FailureBanner } from "./failure-banner.tsx";

export function Shown() {
  return <FailureBanner />;
}
