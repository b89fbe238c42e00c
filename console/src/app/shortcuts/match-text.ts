/**
 * How well a label matches what was typed; null is not at all. 0: each word begins one of the
 * label's, is in it, or is made of its initials. 1: so, but for one wrong, missing, extra or
 * swapped letter in a word.
 */
export function rankOf(text: string, label: string): 0 | 1 | null {
  const name = label.toLowerCase();
  const words = name.split(/[^\p{L}\p{N}]+/u);
  const initials = words.map((word) => word.charAt(0)).join("");
  let rank: 0 | 1 = 0;
  for (const typed of text.toLowerCase().split(/\s+/).filter(Boolean)) {
    if (name.includes(typed) || (typed.length > 1 && initials.startsWith(typed))) continue;
    // Shorter words would be near to too many others.
    if (typed.length < 4 || !words.some((word) => isNear(typed, word))) return null;
    rank = 1;
  }
  return rank;
}

/** Whether the word would begin with what was typed but for one error. */
function isNear(typed: string, word: string): boolean {
  let same = 0;
  while (same < typed.length && typed[same] === word[same]) same += 1;
  const rest = typed.slice(same);
  const swapped = rest.charAt(1) + rest.charAt(0) + rest.slice(2);
  return (
    word.startsWith(rest.slice(1), same + 1) ||
    word.startsWith(rest.slice(1), same) ||
    word.startsWith(rest, same + 1) ||
    word.startsWith(swapped, same)
  );
}
