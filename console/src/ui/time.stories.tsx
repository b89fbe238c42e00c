import { StaleMark } from "./stale-mark.tsx";
import { Time } from "./time.tsx";

export function Past() {
  return <Time at="2026-01-01T12:00:00.000Z" />;
}

export function Never() {
  return <Time at={null} />;
}

export function Stale() {
  return <StaleMark query={{ data: null, dataUpdatedAt: 0, isError: true }} intervalMs={1_000} />;
}
