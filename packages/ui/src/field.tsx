import { type ComponentProps, type ReactNode, useId } from 'react';

type Named = { label: ReactNode; hint?: ReactNode };

/** A label around a field. A hint describes the field, and is no part of its name, which screen readers repeat. */
function Labelled({
  label,
  hint,
  children,
}: Named & {
  children(by: Pick<ComponentProps<'input'>, `aria-${'labelledby' | 'describedby'}`>): ReactNode;
}) {
  const id = useId();
  const [name, words] = [`${id}-name`, `${id}-hint`];
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the field is what the children return
    <label className="field">
      {hint === undefined ? label : <span id={name}>{label}</span>}
      {hint === undefined ? null : <small id={words}>{hint}</small>}
      {children(hint === undefined ? {} : { 'aria-labelledby': name, 'aria-describedby': words })}
    </label>
  );
}

/** An input with a label and an optional hint. */
export const Field = ({ label, hint, ...input }: Named & ComponentProps<'input'>) => (
  <Labelled label={label} hint={hint}>
    {(by) => <input {...by} {...input} />}
  </Labelled>
);

/** A field of several lines. */
export const TextArea = ({ label, hint, ...area }: Named & ComponentProps<'textarea'>) => (
  <Labelled label={label} hint={hint}>
    {(by) => <textarea {...by} {...area} />}
  </Labelled>
);

/** The values of a select, with their texts. */
type Choices<Value> = readonly (readonly [value: Value, text: string | undefined])[];

type SelectProps<Value> = Named & {
  of: Choices<Value>;
  value?: NoInfer<Value>;
  choose?(value: NoInfer<Value>): void;
};

/** A choice of one of several values. */
export const Select = <const Value extends string | number>({
  label,
  hint,
  of,
  choose,
  ...select
}: SelectProps<Value> & Omit<ComponentProps<'select'>, 'value'>) => (
  <Labelled label={label} hint={hint}>
    {(by) => (
      <select
        onChange={({ target }) => {
          const chosen = of[target.selectedIndex];
          if (chosen) choose?.(chosen[0]);
        }}
        {...by}
        {...select}
      >
        <Options of={of} />
      </select>
    )}
  </Labelled>
);

/** A checkbox before its words; a radio button with that `type`. */
export const Check = ({
  label,
  choose,
  ...input
}: { label: ReactNode; choose?(isOn: boolean): void } & ComponentProps<'input'>) => (
  <label className="choice">
    <input type="checkbox" onChange={({ target }) => choose?.(target.checked)} {...input} />
    {label}
  </label>
);

/** The options of a select. */
export const Options = ({ of }: { of: Choices<string | number> }) =>
  of.map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ));
