import { createElement, type ComponentType, type SVGProps } from "react";

/** As the modules of lucide-react describe an icon. */
type IconData = {
  readonly node: readonly (readonly [tag: string, attributes: Readonly<Record<string, string>>])[];
};

const STROKES = {
  width: 24,
  height: 24,
  viewBox: "0 0 24 24",
  fill: "none",
  stroke: "currentColor",
  strokeWidth: 2,
  strokeLinecap: "round",
  strokeLinejoin: "round",
} as const;

/**
 * Takes the place of the function of this name of lucide-react in the build (vite.config.ts): a list
 * has two hundred icons, each of which that one puts together anew, from a dozen objects, with each
 * render.
 */
// The library's modules import the default.
// oxlint-disable-next-line import/no-default-export
export default function createLucideIcon({
  node,
}: IconData): ComponentType<SVGProps<SVGSVGElement>> {
  const shapes = node.map(([tag, attributes]) => createElement(tag, attributes));
  return function Icon({ className = "", ...props }) {
    return createElement(
      "svg",
      {
        ...STROKES,
        "aria-hidden": "aria-label" in props || "role" in props ? undefined : true,
        ...props,
        className: `lucide ${className}`,
      },
      ...shapes,
    );
  };
}
