import { useLayoutEffect, useRef, type RefObject } from "react";

const SLIDE_MS = 180;

/** Rows that change places slide there, so that the eye can follow and nothing jumps. */
export function useSlidingRows(holder: RefObject<HTMLElement | null>) {
  const tops = useRef(new Map<HTMLElement, number>());
  useLayoutEffect(() => {
    const before = tops.current;
    const elements = holder.current?.querySelectorAll<HTMLElement>("tbody > tr") ?? [];
    tops.current = new Map([...elements].map((row) => [row, row.offsetTop]));
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const [row, top] of tops.current) {
      const moved = (before.get(row) ?? top) - top;
      if (moved !== 0) row.animate({ transform: [`translateY(${moved}px)`, "none"] }, SLIDE_MS);
    }
  });
}
