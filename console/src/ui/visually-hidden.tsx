import type { ReactNode } from "react";
import layout from "./layout.module.css";

export function VisuallyHidden({ children }: { readonly children: ReactNode }) {
  return <span className={layout.visuallyHidden}>{children}</span>;
}
