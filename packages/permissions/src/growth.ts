import type { ChangeValue, Footprint } from '@svc/contracts';

/** One difference, with what is needed to tell whether the app may do more by it. */
export type Difference = {
  before: ChangeValue;
  after: ChangeValue;
  /** The item that the value belongs to is in the older version alone. */
  gone: boolean;
  /** Keys that stand for each `*` of the field. */
  keys: readonly string[];
  base: Footprint | null;
  next: Footprint;
};

/** Whether a list of MIME types admits a type or a `type/*`. */
const admits = (list: readonly string[], type: string): boolean =>
  list.includes(type) || list.includes('*/*') || list.includes(`${type.split('/')[0]}/*`);

function loosened({ before, after, gone }: Difference): boolean {
  if (gone || before === null) return false;
  if (after === null) return true;
  return !(after as string[]).every((type) => admits(before as string[], type));
}

/**
 * A card is lost when its tool runs without one, and when its tool goes while a tool without a card comes, or takes on
 * another name or description: nothing else tells such a tool from the one that asked.
 */
function cardLost({ after, keys, base, next }: Difference): boolean {
  if (after !== null) return false;
  if (next.tools.some(({ id }) => id === keys[0])) return true;
  return next.tools.some(({ id, name, description, confirm }) => {
    if (confirm) return false;
    const was = base?.tools.find((tool) => tool.id === id);
    return !was || was.name !== name || was.description !== description;
  });
}

/** Each way in which a change of a value can let an app do more, or send data elsewhere. */
export const GROWTH = {
  /** Something that was not there, or another thing in its place. */
  gained: ({ after }) => after !== null,
  /** Any change, as long as what the value belongs to stays. */
  changed: ({ gone }) => !gone,
  /** A larger number, or true after false. */
  raised: ({ before, after }) => Number(after) > Number(before),
  /** A restriction that admits more than before, or is dropped. */
  loosened,
  /** A step in between that is dropped or replaced. */
  dropped: ({ before, gone }) => before !== null && !gone,
  /** An approval card that is not asked any more. */
  'card-lost': cardLost,
  /** Never: what it brings is told by its own fields. */
  never: () => false,
} as const satisfies Record<string, (difference: Difference) => boolean>;

export type Growth = keyof typeof GROWTH;
