import type { ComponentProps } from 'react';

/** An input with a label and an optional hint. */
export function Field({ label, hint, ...input }: { label: string; hint?: string } & ComponentProps<'input'>) {
  return (
    <label className="field">
      {label}
      {hint === undefined ? null : <small>{hint}</small>}
      <input {...input} />
    </label>
  );
}

/** The options of a select, as values with their texts. */
export const Options = ({
  of,
}: {
  of: readonly (readonly [value: string | number, text: string | undefined])[];
}) =>
  of.map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ));
