import { useState } from "react";
import styles from "./avatar.module.css";

function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.slice(0, 2).map((word) => String.fromCodePoint(word.codePointAt(0) ?? 0));
  return letters.join("").toUpperCase() || "?";
}

/**
 * The profile image, from hosts that the content security policy allows, or initials drawn here, so
 * that no third party learns the name. White on #8b5cf6 is 4.2:1, too little for small text, so the
 * initials are black (5:1).
 */
export function Avatar({
  name,
  imageUrl,
  size,
}: {
  readonly name: string;
  readonly imageUrl: string | null;
  readonly size: number;
}) {
  const [brokenUrl, setBrokenUrl] = useState<string | null>(null);
  if (imageUrl !== null && imageUrl !== brokenUrl) {
    return (
      <img
        className={styles.avatar}
        src={imageUrl}
        alt=""
        width={size}
        height={size}
        loading="lazy"
        referrerPolicy="no-referrer"
        onError={() => setBrokenUrl(imageUrl)}
      />
    );
  }
  return (
    <svg
      className={styles.avatar}
      width={size}
      height={size}
      viewBox="0 0 40 40"
      aria-hidden="true"
    >
      <rect width="40" height="40" fill="#8b5cf6" />
      <text x="20" y="25.5" fill="#000" fontSize="16" fontWeight="650" textAnchor="middle">
        {initialsOf(name)}
      </text>
    </svg>
  );
}
