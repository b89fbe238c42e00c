import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { usePolling } from "#console/lib/polling.ts";
import { mount } from "#console/testing/mount.tsx";
import { lazyPart } from "./lazy-part.tsx";
import { Page } from "./page.tsx";
import { QueryBody } from "./query-body.tsx";

let failing: readonly string[] = [];

function Part({ name }: { readonly name: string }) {
  const query = useQuery({
    queryKey: [name],
    queryFn: async () => {
      if (failing.includes(name)) throw new Error("refused");
      return name;
    },
    retry: false,
  });
  return <QueryBody query={query}>{(text) => <p>{text} has come</p>}</QueryBody>;
}

function Screen() {
  return (
    <Page hasParts title="Parts">
      <Part name="One" />
      <Part name="Two" />
      <Part name="Three" />
    </Page>
  );
}

const retry = page.getByRole("button", { name: "Retry" });

test("parts that fail together share one message and one Retry button", async () => {
  failing = ["One", "Two"];
  mount(<Screen />);
  await expect.element(page.getByText(/^Parts of this screen could not be loaded/)).toBeVisible();
  await expect.element(page.getByText("Three has come")).toBeVisible();
  expect(retry.elements()).toHaveLength(1);
  failing = [];
  await retry.click();
  await expect.element(page.getByText("One has come")).toBeVisible();
  await expect.element(page.getByText("Two has come")).toBeVisible();
  await expect.element(page.getByText(/^Parts of this screen/)).not.toBeInTheDocument();
});

test("a part that fails alone shows its own error", async () => {
  failing = ["Two"];
  mount(<Screen />);
  await expect.element(page.getByText("Failed to load data")).toBeVisible();
  expect(retry.elements()).toHaveLength(1);
  await expect.element(page.getByText(/^Parts of this screen/)).not.toBeInTheDocument();
});

test("a failed part stays failed while it tries again", async () => {
  const second = Promise.withResolvers<string>();
  let hasFailed = false;
  async function answer() {
    if (hasFailed) return second.promise;
    hasFailed = true;
    throw new Error("refused");
  }
  function Failing() {
    const query = useQuery({ queryKey: ["failing"], queryFn: answer, retry: false });
    return <QueryBody query={query}>{(text) => <p>{text}</p>}</QueryBody>;
  }
  mount(<Failing />);
  await retry.click();
  await expect.element(retry).toHaveAttribute("aria-busy", "true");
  await expect.element(page.getByText("Failed to load data")).toBeVisible();
  second.resolve("Answered");
  await expect.element(page.getByText("Answered")).toBeVisible();
});

const LATE = { queryKey: ["late"], queryFn: async () => "Shown" };
const script = Promise.withResolvers<ComponentType<{ query: UseQueryResult<string> }>>();
const LatePart = lazyPart(() => script.promise);

function ScreenOfLatePart() {
  const query = useQuery(LATE);
  usePolling(query, false);
  return <LatePart query={query} />;
}

function Answered() {
  return useQuery(LATE).isSuccess && <p>The answer has come</p>;
}

test("a part whose script loads after its data shows the data", async () => {
  mount(
    <>
      <ScreenOfLatePart />
      <Answered />
    </>,
  );
  await expect.element(page.getByText("The answer has come")).toBeVisible();
  script.resolve(({ query }) => <QueryBody query={query}>{(text) => <p>{text}</p>}</QueryBody>);
  await expect.element(page.getByText("Shown")).toBeVisible();
});
