import { type ChangeObject, diffArrays } from 'diff';

/** A line of a diff, with line numbers from 1. */
export type LineChange = {
  readonly sign: ' ' | '+' | '-';
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
};

/**
 * Maximum number of changed lines for which the shortest diff is computed: the cost grows quadratically. Beyond it, all old
 * lines are shown as removed and all new ones as added, which hides nothing.
 */
const MAX_CHANGES = 1_500;

type Hunk = Pick<ChangeObject<readonly string[]>, 'added' | 'removed' | 'value'>;

const signOf = ({ added, removed }: Hunk): LineChange['sign'] => (added ? '+' : removed ? '-' : ' ');

/**
 * Compares two texts line by line. The result contains every line of both texts.
 * @param before the lines of the older text; when empty, all lines are added
 */
export function diffLines(before: readonly string[], after: readonly string[]): LineChange[] {
  const hunks: Hunk[] = diffArrays([...before], [...after], { maxEditLength: MAX_CHANGES }) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ];
  let [i, j] = [0, 0];
  return hunks.flatMap((hunk) => {
    const sign = signOf(hunk);
    return hunk.value.map((text) => ({
      sign,
      before: sign === '+' ? null : ++i,
      after: sign === '-' ? null : ++j,
      text,
    }));
  });
}
