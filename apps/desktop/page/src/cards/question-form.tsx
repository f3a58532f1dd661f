import type { Answer, Card, FieldValue, QuestionField } from '@svc/runtime';
import { visible } from '@svc/text';
import { Check } from '@svc/ui';
import { useState } from 'react';
import { ArgumentField } from '../tools/argument-field.tsx';
import { type FieldTexts, fill, type ToolField } from '../tools/schema-form.ts';

/** The initial text of a field. Choices are JSON texts. */
function initialOf({ type, initial }: QuestionField): string {
  if (initial === null) return type === 'choices' ? '[]' : '';
  return typeof initial === 'string' && type === 'string' ? initial : JSON.stringify(initial);
}

const FORMS: Readonly<Record<QuestionField['type'], ToolField['kind']>> = {
  string: 'string',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  choice: 'choice',
  choices: 'json',
};

/** A field of a question as one of a form. */
const toolField = (field: QuestionField): ToolField => ({
  name: field.name,
  label: field.title,
  hint: field.description,
  required: field.required,
  kind: FORMS[field.type],
  options: field.options.map(({ value }) => JSON.stringify(value)),
  titles: field.options.map(({ title }) => title),
  shape: field.type === 'choices' ? 'array' : '',
  min: field.min,
  max: field.max,
  initial: initialOf(field),
});

/** Several of the options, as checkboxes. */
function Choices({ field, text, write }: { field: ToolField; text: string; write(text: string): void }) {
  const chosen = JSON.parse(text) as string[];
  return (
    <fieldset className="field">
      <legend>
        {visible(field.label)}
        {field.required ? ' *' : ''}
      </legend>
      <small>{visible(field.hint)}</small>
      {field.options.map((option, at) => {
        const value = JSON.parse(option) as string;
        return (
          <Check
            key={option}
            label={visible(field.titles?.[at] ?? value)}
            checked={chosen.includes(value)}
            choose={(isOn) =>
              write(JSON.stringify(isOn ? [...chosen, value] : chosen.filter((one) => one !== value)))
            }
          />
        );
      })}
    </fieldset>
  );
}

const textsOf = (fields: readonly ToolField[]): FieldTexts =>
  Object.fromEntries(fields.map(({ name, initial }) => [name, initial]));

/** The form of a question; empty for other cards. */
export function useCardForm(card: Card) {
  const fields = card.kind === 'question' ? card.fields.map(toolField) : [];
  const [texts, setTexts] = useState(() => textsOf(fields));
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const write = (name: string) => (text: string) => setTexts((before) => ({ ...before, [name]: text }));
  const body = fields.map((field) => {
    const given = { field, text: texts[field.name] ?? '', write: write(field.name) };
    return field.shape === 'array' ? (
      <Choices key={field.name} {...given} />
    ) : (
      <ArgumentField key={field.name} {...given} fault={faults[field.name]} />
    );
  });
  return {
    body: fields.length === 0 ? null : <div className="fields">{body}</div>,
    /** Accepts the card with the values of the form, or shows what is missing. A page to open opens in a new tab. */
    accept(answer: (content: Extract<Answer, { accepted: true }>['content']) => void) {
      if (card.kind !== 'question') return answer(undefined);
      if (card.url !== null) window.open(card.url, '_blank', 'noopener,noreferrer');
      const filled = fill(fields, texts);
      if ('faults' in filled) setFaults(filled.faults);
      else answer(card.url === null ? (filled.arguments as Record<string, FieldValue>) : undefined);
    },
  };
}

/** What the user is warned of before answering a server. */
export const QuestionHint = ({ url }: { url: string | null }) => (
  <p className="soft">
    {url === null
      ? 'Your answer goes to this server. Do not enter passwords, keys or card numbers.'
      : 'The server asks you to open this page in your browser. Check its address first.'}
  </p>
);
