import type { ReactNode } from "react";
import { classNames } from "#console/ui/class-names.ts";
import layout from "#console/ui/layout.module.css";

/** What signs in (sessions, tokens): each with its facts and what can be done to it. */
export function CredentialList<T extends { readonly id: string }>({
  credentials,
  children,
}: {
  readonly credentials: readonly T[];
  readonly children: (credential: T) => ReactNode;
}) {
  return (
    <ul className={classNames(layout.stack, layout.gap4, layout.ruled)}>
      {credentials.map((credential) => (
        <li
          key={credential.id}
          className={classNames(layout.stack, layout.gap3, layout.left, layout.anywhere)}
        >
          {children(credential)}
        </li>
      ))}
    </ul>
  );
}
