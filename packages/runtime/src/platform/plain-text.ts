/** What draws nothing, or changes how the text around it is read: control, format and unassigned characters, line ends. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\s]+/gu;

/**
 * Text from outside as one line that is safe to show beside ours: nothing in it breaks lines, hides, or turns the direction of
 * what follows.
 * @param most longest result, in characters
 */
export function plainText(text: string, most: number): string {
  // Cut before the pattern runs over it: a server may send a megabyte.
  const line = text
    .slice(0, 4 * most)
    .replace(UNSEEN, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
}
