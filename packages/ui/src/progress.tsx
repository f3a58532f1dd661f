type ProgressProps = {
  /** Name of the bar, for screen readers. */
  label: string;
  value: number;
  max: number;
  /** The progress as text. */
  text: string;
};

/** A progress bar with a text. */
export const Progress = ({ label, value, max, text }: ProgressProps) => (
  <p className="progress">
    <progress value={value} max={max} aria-label={label} />
    <span>{text}</span>
  </p>
);
