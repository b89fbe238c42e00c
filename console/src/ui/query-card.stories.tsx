import { useQuery } from "@tanstack/react-query";
import { QueryCard } from "./query-card.tsx";

export function Loading() {
  return <Sample title="Loading" answer={() => new Promise(() => undefined)} />;
}

export function Failed() {
  return <Sample title="Failed" answer={() => Promise.reject(new Error("refused"))} />;
}

export function Answered() {
  return <Sample title="Answered" answer={() => Promise.resolve("The answer")} />;
}

function Sample({
  title,
  answer,
}: {
  readonly title: string;
  readonly answer: () => Promise<string>;
}) {
  const query = useQuery({
    queryKey: ["sample", title],
    queryFn: answer,
    retry: false,
    staleTime: Infinity,
  });
  return (
    <QueryCard title={title} query={query} permission="read:system" intervalMs={false}>
      {(text) => <p>{text}</p>}
    </QueryCard>
  );
}
