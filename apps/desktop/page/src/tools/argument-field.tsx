import { visible } from '@svc/text';
import { Options } from '@svc/ui';
import { useId } from 'react';
import type { ToolField } from './schema-form.ts';

type Props = { field: ToolField; text: string; fault: string | undefined; write(text: string): void };

/** The label of an option, which is a JSON text. */
const optionText = (json: string): string => {
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' ? value : json;
};

function Input({ field, text, write, described }: Omit<Props, 'fault'> & { described: object }) {
  if (field.kind === 'boolean' || field.kind === 'choice') {
    const options = field.kind === 'boolean' ? ['true', 'false'] : field.options;
    return (
      <select value={text} onChange={(event) => write(event.target.value)} {...described}>
        <option value="">(not set)</option>
        <Options
          of={options.map((option, at) => [option, visible(field.titles?.[at] ?? optionText(option))])}
        />
      </select>
    );
  }
  if (field.kind === 'json' || field.kind === 'string') {
    const isLong = field.kind === 'json' || text.includes('\n') || text.length > 60;
    return (
      <textarea
        rows={isLong ? 5 : 1}
        className={field.kind === 'json' ? 'code' : ''}
        spellCheck={field.kind === 'string'}
        value={text}
        onChange={(event) => write(event.target.value)}
        {...described}
      />
    );
  }
  return (
    <input inputMode="decimal" value={text} onChange={(event) => write(event.target.value)} {...described} />
  );
}

/** The field of one argument, with its error. */
export function ArgumentField({ field, text, fault, write }: Props) {
  const id = useId();
  const described = {
    id,
    'aria-describedby': `${id}-hint ${id}-fault`,
    'aria-invalid': fault !== undefined,
    'aria-required': field.required,
  };
  return (
    <div className="field">
      <label htmlFor={id}>
        {visible(field.label)}
        {field.required ? ' *' : ''}
      </label>
      <small id={`${id}-hint`}>{visible(field.hint)}</small>
      <Input field={field} text={text} write={write} described={described} />
      <span id={`${id}-fault`} className="fault">
        {fault}
      </span>
    </div>
  );
}
