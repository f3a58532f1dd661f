type ProgressProps = {
  /** Name of the bar, for screen readers. */
  label: string;
  value: number;
  max: number;
  /** How far it is, in words. */
  text: string;
};

/** How far something is, as a bar and in words. */
export const Progress = ({ label, value, max, text }: ProgressProps) => (
  <p className="progress">
    <progress value={value} max={max} aria-label={label} />
    <span>{text}</span>
  </p>
);
