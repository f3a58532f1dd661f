import type { PromptArgument } from '@svc/runtime';
import { visible } from '@svc/text';
import { ActionButton, Button, Field, useDebounced } from '@svc/ui';
import { keepPreviousData } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { useProject } from '../shell/use-project.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';
import { useOptions } from './use-options.tsx';

/** Pause in typing before the server is asked for suggestions, in milliseconds, and most that are shown. */
const DEBOUNCE_MS = 200;
const MAX_SHOWN = 8;

/** A prompt or a resource template of a connector, whose arguments the user fills in. */
export type Filled = {
  appId: string;
  of: { prompt: string } | { uriTemplate: string };
  name: string;
  arguments: readonly PromptArgument[];
};

/** Values that the server suggests for an argument (MCP, "Completion"). A server that fails or has none suggests nothing. */
function useSuggestions(
  { appId, of }: Filled,
  name: string,
  { value, others, isAsked }: { value: string; others: Record<string, string>; isAsked: boolean },
): readonly string[] {
  const { id: project } = useProject();
  const input = { appId, project, of, argument: { name, value: useDebounced(value, DEBOUNCE_MS) }, others };
  // Suggestions stay while the next ones are on their way.
  const options = { enabled: isAsked, placeholderData: keepPreviousData };
  const { data } = useDesktopQuery('content.complete', input, options);
  return isAsked ? (data?.values ?? []) : [];
}

function ArgumentField({
  filled,
  argument: { name, description, isRequired },
  values,
  change,
  isFirst,
}: {
  filled: Filled;
  argument: PromptArgument;
  values: Record<string, string>;
  change(value: string): void;
  isFirst: boolean;
}) {
  const value = values[name] ?? '';
  const [isOpen, setOpen] = useState(false);
  const { [name]: _own, ...others } = values;
  const suggested = useSuggestions(filled, name, { value, others, isAsked: isOpen });
  const options = suggested
    .filter((one) => one !== value)
    .slice(0, MAX_SHOWN)
    .map((one) => ({
      key: one,
      shown: visible(one),
      choose: () => {
        change(one);
        setOpen(false);
      },
    }));
  const close = () => setOpen(false);
  const {
    list,
    onKey,
    described,
    isOpen: isShown,
  } = useOptions(`Values of ${visible(name)}`, options, { isFirstChosen: false, close });
  return (
    <div>
      <Field
        label={visible(name)}
        hint={description === '' ? undefined : visible(description)}
        role="combobox"
        aria-expanded={isShown}
        aria-autocomplete="list"
        {...described}
        autoComplete="off"
        required={isRequired}
        // The form opens by a key or a press in the message field
        autoFocus={isFirst}
        value={value}
        onChange={({ target }) => {
          change(target.value);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={close}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' && !isOpen) setOpen(true);
          onKey(event);
        }}
      />
      {list}
    </div>
  );
}

/**
 * The arguments of a prompt or resource template, with the suggestions of its server. Enter takes it, Escape leaves.
 * @param label what its button does
 */
export function CompletionForm({
  filled,
  label = 'Use',
  use,
  leave,
}: {
  filled: Filled;
  label?: string;
  use(args: Record<string, string>): void;
  /** Missing where the form stays. */
  leave?: () => void;
}) {
  const [values, setValues] = useState<Record<string, string>>({});
  const isMissing = filled.arguments.some(({ name, isRequired }) => isRequired && !values[name]?.trim());
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Escape') leave?.();
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    // Not the message, in whose form this is.
    event.preventDefault();
    if (!isMissing) use(values);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter and Escape of its fields
    <div className="completion-form fields" onKeyDown={key}>
      <strong>{visible(filled.name)}</strong>
      {filled.arguments.map((argument, at) => (
        <ArgumentField
          key={argument.name}
          {...{ filled, argument, values, isFirst: at === 0 && leave !== undefined }}
          change={(value) => setValues((now) => ({ ...now, [argument.name]: value }))}
        />
      ))}
      <div className="buttons">
        <ActionButton
          className="main"
          aria-label={`${label} ${visible(filled.name)}`}
          why={isMissing ? 'Fill in each required field.' : null}
          onClick={() => use(values)}
        >
          {label}
        </ActionButton>
        {leave ? <Button label="Cancel" onClick={leave} /> : null}
      </div>
    </div>
  );
}
