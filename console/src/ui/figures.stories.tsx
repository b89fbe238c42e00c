import { Figures } from "./figures.tsx";

const FIGURES = [
  { name: "Total", value: "$37.50", note: "this month so far" },
  { name: "Environment", value: "preview" },
  { name: "Loading", value: undefined },
];

export function Normal() {
  return <Figures figures={FIGURES} />;
}

export function Large() {
  return <Figures large figures={FIGURES} />;
}
