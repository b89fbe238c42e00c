import { createElement, type ComponentType, type SVGProps } from "react";
import { classNames } from "./class-names.ts";

/** A part of an icon, as the modules of lucide-react describe it. */
type Shape = readonly [tag: string, attributes: Readonly<Record<string, string>>];
type IconData = { readonly node: readonly Shape[] };

/** The class that lucide-react gives each icon; base.css sets its size and strokes. */
const ICON_CLASS = "lucide";

/** A relative start of a path is absolute only at the beginning, so it is rewritten before joining. */
const START = /^m\s*(-?\d*\.?\d+)[\s,]*(-?\d*\.?\d+)\s*(?=([-.\d])?)/;

/**
 * Takes the place of the function of this name of lucide-react in the build (vite.config.ts): a list
 * has two hundred icons, each of which that one puts together anew, from a dozen objects, with each
 * render. Strokes come from base.css, and an icon is one element where it can be.
 */
// The library's modules import the default.
// oxlint-disable-next-line import/no-default-export
export default function createLucideIcon({
  node,
}: IconData): ComponentType<SVGProps<SVGSVGElement>> {
  const others = node.filter((shape) => pathOf(shape) === "");
  const path = node.map(pathOf).join("");
  const shapes = [
    ...others.map(([tag, attributes]) => createElement(tag, attributes)),
    path !== "" && createElement("path", { d: path }),
  ];
  return function Icon({ className, ...props }) {
    return createElement(
      "svg",
      {
        viewBox: "0 0 24 24",
        "aria-hidden": "aria-label" in props || "role" in props ? undefined : true,
        ...props,
        className: classNames(ICON_CLASS, className),
      },
      ...shapes,
    );
  };
}

/** A path or circle as a path that can follow another one; "" for other shapes. */
function pathOf([tag, { d = "", cx, cy, r }]: Shape): string {
  if (tag === "circle")
    return `M${Number(cx) - Number(r)} ${cy}a${r} ${r} 0 1 0 ${2 * Number(r)} 0a${r} ${r} 0 1 0-${2 * Number(r)} 0`;
  return d.replace(START, (_start, x: string, y: string, line?: string) =>
    line === undefined ? `M${x} ${y}` : `M${x} ${y}l`,
  );
}
