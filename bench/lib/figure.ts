/** One figure: what was measured against what, and the bound it must keep. */
export type Figure = {
  name: string;
  /** Both sides, as they were measured in the same run. */
  measured: string;
  /** The number that the bound is about. */
  value: number;
  unit: string;
  bound: { least?: number; most?: number };
};

/** A figure that this machine cannot measure, and why. */
export type LeftOut = { name: string; leftOut: string };

/** Whether a figure keeps its bound. */
export const holds = (figure: Figure | LeftOut): boolean => 'leftOut' in figure || isWithin(figure);

const isWithin = ({ value, bound }: Figure): boolean =>
  value >= (bound.least ?? Number.NEGATIVE_INFINITY) && value <= (bound.most ?? Number.POSITIVE_INFINITY);

const boundText = ({ bound, unit }: Figure): string =>
  bound.least !== undefined
    ? `at least ${numberText(bound.least)}${unit}`
    : `at most ${numberText(bound.most)}${unit}`;

/** Bounds as they are written: `3`, `0.33`, `20000`. */
const numberText = (value: number | undefined): string => String(Math.round((value ?? 0) * 100) / 100);

/** A figure as a row of the table in RESULTS.md. */
export const row = (figure: Figure | LeftOut): string =>
  'leftOut' in figure ? `| ${figure.name} | left out: ${figure.leftOut} | | | |` : measuredRow(figure);

const measuredRow = (figure: Figure): string =>
  `| ${figure.name} | ${figure.measured} | ${figure.value.toFixed(2)}${figure.unit} | ${boundText(figure)} | ${holds(figure) ? 'yes' : '**no**'} |`;
