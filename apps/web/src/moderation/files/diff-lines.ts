import { type ChangeObject, diffArrays } from 'diff';

/** A line of a difference, with its numbers from 1. */
export type LineChange = {
  readonly sign: ' ' | '+' | '-';
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
};

/**
 * Changed lines up to which the shortest difference is looked for. Its cost grows with their square; files that differ in
 * more are shown as one replaced by the other, which hides nothing.
 */
const MAX_CHANGES = 1_500;

type Stretch = Pick<ChangeObject<readonly string[]>, 'added' | 'removed' | 'value'>;

const signOf = ({ added, removed }: Stretch): LineChange['sign'] => (added ? '+' : removed ? '-' : ' ');

/**
 * Compares two texts line by line: every line of either is in the result, once.
 * @param before the lines of the older text; of none, all of the other are added
 */
export function diffLines(before: readonly string[], after: readonly string[]): LineChange[] {
  const stretches: Stretch[] = diffArrays([...before], [...after], { maxEditLength: MAX_CHANGES }) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ];
  let [i, j] = [0, 0];
  return stretches.flatMap((stretch) => {
    const sign = signOf(stretch);
    return stretch.value.map((text) => ({
      sign,
      before: sign === '+' ? null : ++i,
      after: sign === '-' ? null : ++j,
      text,
    }));
  });
}
