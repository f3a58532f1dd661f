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
