import type { ChangeValue, Footprint } from '@svc/contracts';

/** A difference, with the context that decides whether it adds permissions. */
export type Difference = {
  before: ChangeValue;
  after: ChangeValue;
  /** Whether the surrounding item exists only in the older version. */
  gone: boolean;
  /** Keys for each `*` of the field. */
  keys: readonly string[];
  base: Footprint | null;
  next: Footprint;
};

/** Whether a list of MIME types includes a type or a `type/*`. */
const admits = (list: readonly string[], type: string): boolean =>
  list.includes(type) || list.includes('*/*') || list.includes(`${type.split('/')[0]}/*`);

function loosened({ before, after, gone }: Difference): boolean {
  if (gone || before === null) return false;
  if (after === null) return true;
  return !(after as string[]).every((type) => admits(before as string[], type));
}

/**
 * A card is lost when its tool now runs without one. It is also lost when its tool is removed while a tool without a card is added
 * or gets another name, description or name on the server: that tool may do what the removed one did.
 */
function cardLost({ after, keys, base, next }: Difference): boolean {
  if (after !== null) return false;
  if (next.tools.some(({ id }) => id === keys[0])) return true;
  return next.tools.some(({ id, remoteName, name, description, confirm }) => {
    if (confirm) return false;
    const was = base?.tools.find((tool) => tool.id === id);
    return !was || was.name !== name || was.description !== description || was.remoteName !== remoteName;
  });
}

/** The ways in which a change of a value can add permissions. */
export const GROWTH = {
  /** A new value, or another value. */
  gained: ({ after }) => after !== null,
  /** Any change, unless the surrounding item is removed. */
  changed: ({ gone }) => !gone,
  /** A larger number, or true after false. */
  raised: ({ before, after }) => Number(after) > Number(before),
  /** A restriction that allows more than before, or is removed. */
  loosened,
  /** A preparation step that is removed or replaced. */
  dropped: ({ before, gone }) => before !== null && !gone,
  /** An approval card that is no longer shown. */
  'card-lost': cardLost,
} as const satisfies Record<string, (difference: Difference) => boolean>;

export type Growth = keyof typeof GROWTH;
