/** One figure: the compared measurements, and its bound. */
export type Figure = {
  name: string;
  /** Both measurements of the same run. */
  measured: string;
  /** The value to which the bound applies. */
  value: number;
  unit: string;
  bound: { least?: number; most?: number };
};

/** A figure that cannot be measured on this machine, and why. */
export type LeftOut = { name: string; leftOut: string };

/** Whether a figure meets its bound. */
export const holds = (figure: Figure | LeftOut): boolean => 'leftOut' in figure || isWithin(figure);

const isWithin = ({ value, bound }: Figure): boolean =>
  value >= (bound.least ?? Number.NEGATIVE_INFINITY) && value <= (bound.most ?? Number.POSITIVE_INFINITY);

const boundText = ({ bound, unit }: Figure): string =>
  bound.least !== undefined
    ? `at least ${numberText(bound.least)}${unit}`
    : `at most ${numberText(bound.most)}${unit}`;

/** Formats a bound: `3`, `0.33`, `20000`. */
const numberText = (value: number | undefined): string => String(Math.round((value ?? 0) * 100) / 100);

/** A figure as a row of the table in RESULTS.md. */
export const row = (figure: Figure | LeftOut): string =>
  'leftOut' in figure ? `| ${figure.name} | left out: ${figure.leftOut} | | | |` : measuredRow(figure);

const measuredRow = (figure: Figure): string =>
  `| ${figure.name} | ${figure.measured} | ${figure.value.toFixed(2)}${figure.unit} | ${boundText(figure)} | ${holds(figure) ? 'yes' : '**no**'} |`;
