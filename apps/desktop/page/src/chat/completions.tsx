import type { AppPrompt, AppResource } from '@svc/runtime';
import { visible } from '@svc/text';
import { ErrorMessage, Field } from '@svc/ui';
import { useQueries } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import type { ContentPartView } from '../../../src/wire/views.ts';
import { useProject } from '../shell/use-project.ts';
import { useDesktopClient, useDesktopQuery } from '../wire/use-desktop.ts';
import type { useDraft } from './use-draft.ts';

/** Most entries that are shown. */
const MAX_SHOWN = 8;

type Kept = ReturnType<typeof useDraft>;

type Entry = { key: string; name: string; from: string; description: string; choose(): void };

/** What the end of a text asks for: prompts with `/` at its beginning, resources with `@` before a word. */
function askedBy(text: string): { kind: 'prompts' | 'resources'; query: string; before: string } | null {
  const [, prompt] = /^\/([^\s/]*)$/.exec(text) ?? [];
  if (prompt !== undefined) return { kind: 'prompts', query: prompt, before: '' };
  const at = text.lastIndexOf('@');
  const query = text.slice(at + 1);
  const isWord = at >= 0 && !/\s/.test(query) && (at === 0 || /\s/.test(text.charAt(at - 1)));
  return isWord ? { kind: 'resources', query, before: text.slice(0, at) } : null;
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** A part of a resource or prompt as a file to attach; null for links. */
function fileOf(name: string, part: ContentPartView): File | null {
  if (part.type === 'text') return new File([part.text], `${name}.txt`, { type: 'text/plain' });
  return part.type === 'file' ? new File([bytesOf(part.data)], part.name, { type: part.mediaType }) : null;
}

/** The connectors of the project, and their prompts or resources, asked for while one of the two is wanted. */
function useEntries(kind: 'prompts' | 'resources' | null) {
  const desktop = useDesktopClient();
  const { id: project } = useProject();
  const apps = useDesktopQuery('apps.list', { project }).data?.apps ?? [];
  const connectors = apps.filter(
    ({ on, withdrawn, source }) => on && !withdrawn && source.kind === 'connector',
  );
  const name = kind === 'prompts' ? 'prompts.list' : 'resources.list';
  return useQueries({
    queries: connectors.map(({ appId, manifest }) => ({
      queryKey: [name, { appId, project }],
      enabled: kind !== null,
      queryFn: async ({ signal }: { signal: AbortSignal }) => ({
        ...{ prompts: [] as readonly AppPrompt[], resources: [] as readonly AppResource[] },
        ...(kind === 'prompts'
          ? { prompts: (await desktop.request('prompts.list', { appId, project }, signal)).prompts.entries }
          : {
              resources: (await desktop.request('resources.list', { appId, project }, signal)).resources
                .entries,
            }),
        ...{ appId, from: manifest.name },
      }),
    })),
  }).flatMap(({ data }) => data ?? []);
}

/** The arguments of a chosen prompt. */
function PromptForm({
  prompt,
  use,
  leave,
}: {
  prompt: AppPrompt;
  use(args: Record<string, string>): void;
  leave(): void;
}) {
  const [values, setValues] = useState<Record<string, string>>({});
  const isMissing = prompt.arguments.some(({ name, isRequired }) => isRequired && !values[name]?.trim());
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Escape') leave();
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    // Not the message, in whose form this is.
    event.preventDefault();
    if (!isMissing) use(values);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter and Escape of its fields
    <div className="completions fields" onKeyDown={key}>
      <strong>{visible(prompt.name)}</strong>
      {prompt.arguments.map(({ name, description, isRequired }, at) => (
        <Field
          key={name}
          label={visible(name)}
          hint={visible(description)}
          required={isRequired}
          autoFocus={at === 0}
          value={values[name] ?? ''}
          onChange={({ target: { value } }) => setValues((now) => ({ ...now, [name]: value }))}
        />
      ))}
      <div className="buttons">
        <button type="button" className="main" disabled={isMissing} onClick={() => use(values)}>
          Use
        </button>
        <button type="button" onClick={leave}>
          Cancel
        </button>
      </div>
    </div>
  );
}

/** The prompts and resources that the message field offers, and the keys that choose one. */
export function useCompletions(kept: Kept): { list: ReactNode; onKey(event: KeyboardEvent): boolean } {
  const desktop = useDesktopClient();
  const { id: project } = useProject();
  const { draft, change, add } = kept;
  const asked = askedBy(draft.text);
  const [at, setAt] = useState(0);
  const [left, setLeft] = useState('');
  const [filled, setFilled] = useState<{ appId: string; prompt: AppPrompt } | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const isOpen = asked !== null && draft.text !== left;
  const found = useEntries(isOpen ? asked.kind : null);
  const write = (text: string) => change((now) => ({ ...now, text }));

  const takePrompt = (appId: string, prompt: AppPrompt, args: Record<string, string>) => {
    setFilled(null);
    desktop
      .request('prompts.get', { appId, project, id: prompt.id, arguments: args })
      .then(({ messages }) => {
        const parts = messages.map(({ part }) => part);
        write(parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n'));
        add(parts.flatMap((part) => (part.type === 'file' ? (fileOf(prompt.name, part) ?? []) : [])));
      }, setError);
  };
  const attach = (appId: string, { uri, name }: AppResource, before: string) => {
    write(before);
    desktop
      .request('resources.read', { appId, project, uri })
      .then(({ parts }) => add(parts.flatMap((part) => fileOf(name, part) ?? [])), setError);
  };
  const entries: Entry[] = !isOpen
    ? []
    : found
        .flatMap(({ appId, from, prompts, resources }) => [
          ...prompts.map((prompt) => ({
            ...{ key: `${appId} ${prompt.id}`, name: prompt.name, from, description: prompt.description },
            choose: () =>
              prompt.arguments.length > 0 ? setFilled({ appId, prompt }) : takePrompt(appId, prompt, {}),
          })),
          ...resources.map((resource) => ({
            ...{
              key: `${appId} ${resource.uri}`,
              name: resource.name,
              from,
              description: resource.description,
            },
            choose: () => attach(appId, resource, asked.before),
          })),
        ])
        .filter(({ name }) => name.toLowerCase().includes(asked.query.toLowerCase()))
        .slice(0, MAX_SHOWN);
  const current = Math.min(at, entries.length - 1);

  const onKey = (event: KeyboardEvent): boolean => {
    if (entries.length === 0 || event.nativeEvent.isComposing) return false;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) setAt((current + by + entries.length) % entries.length);
    else if (event.key === 'Enter' || event.key === 'Tab') entries[current]?.choose();
    else if (event.key === 'Escape') setLeft(draft.text);
    else return false;
    event.preventDefault();
    return true;
  };
  if (filled) {
    const { appId, prompt } = filled;
    const list = (
      <PromptForm
        prompt={prompt}
        use={(args) => takePrompt(appId, prompt, args)}
        leave={() => setFilled(null)}
      />
    );
    return { list, onKey: () => false };
  }
  const list =
    entries.length === 0 ? (
      <ErrorMessage error={error} />
    ) : (
      <div className="completions" role="listbox" aria-label="Prompts and resources">
        {entries.map(({ key, name, from, description, choose }, index) => (
          <button
            key={key}
            type="button"
            role="option"
            aria-selected={index === current}
            tabIndex={-1}
            onClick={choose}
          >
            <strong>{visible(name)}</strong> <span className="soft">{visible(from)}</span>
            <small>{visible(description)}</small>
          </button>
        ))}
      </div>
    );
  return { list, onKey };
}
