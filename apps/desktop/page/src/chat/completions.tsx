import type { AppPrompt, AppResource, AppResourceTemplate } from '@svc/runtime';
import { visible } from '@svc/text';
import { ErrorMessage, useDebounced } from '@svc/ui';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { type KeyboardEvent, lazy, type ReactNode, type RefObject, Suspense, useState } from 'react';
import type { ContentPartView } from '../../../src/wire/views.ts';
import { bytesOf } from '../parts/download.ts';
import { useApps, useProject } from '../shell/use-project.ts';
import { useDesktopClient, useDesktopQuery } from '../wire/use-desktop.ts';
import type { Filled } from './completion-form.tsx';
import type { useDraft } from './use-draft.ts';
import { type Option, useOptions } from './use-options.tsx';
import { variablesOf } from './variables-of.ts';

/** Only what has arguments needs it. */
const CompletionForm = lazy(async () => ({
  default: (await import('./completion-form.tsx')).CompletionForm,
}));

/** Most entries that are shown. */
const MAX_SHOWN = 8;

type Kept = ReturnType<typeof useDraft>;

/** What the end of a text asks for: prompts with `/` at its beginning, resources with `@` before a word. */
function askedBy(text: string): { kind: 'prompts' | 'resources'; query: string; before: string } | null {
  const [, prompt] = /^\/([^\s/]*)$/.exec(text) ?? [];
  if (prompt !== undefined) return { kind: 'prompts', query: prompt, before: '' };
  const at = text.lastIndexOf('@');
  const query = text.slice(at + 1);
  const isWord = at >= 0 && !/\s/.test(query) && (at === 0 || /\s/.test(text.charAt(at - 1)));
  return isWord ? { kind: 'resources', query, before: text.slice(0, at) } : null;
}

/** A part of a resource or prompt as a file to attach; null for links. */
function fileOf(name: string, part: ContentPartView): File | null {
  if (part.type === 'text') return new File([part.text], `${name}.txt`, { type: 'text/plain' });
  return part.type === 'file' ? new File([bytesOf(part.data)], part.name, { type: part.mediaType }) : null;
}

type Offered = {
  appId: string;
  from: string;
  prompts: readonly AppPrompt[];
  resources: readonly AppResource[];
  templates: readonly AppResourceTemplate[];
};

/** What the connectors of the project offer, asked for while one of the two is wanted. */
function useOffered(kind: 'prompts' | 'resources' | null): Offered[] {
  const desktop = useDesktopClient();
  const { id: project } = useProject();
  const apps = useApps() ?? [];
  const connectors = apps.filter(({ on, yanked, source }) => on && !yanked && source.kind === 'connector');
  const none = { prompts: [], resources: [], templates: [] };
  return useQueries({
    queries: connectors.map(({ appId, manifest: { name: from } }) => ({
      queryKey: [kind === 'prompts' ? 'prompts.list' : 'resources.list', { appId, project }, 'offered'],
      enabled: kind !== null,
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Offered> => {
        if (kind === 'prompts') {
          const { prompts } = await desktop.request('prompts.list', { appId, project }, signal);
          return { appId, from, ...none, prompts: prompts.entries };
        }
        const lists = await desktop.request('resources.list', { appId, project }, signal);
        const { resources, templates } = lists;
        return { appId, from, ...none, resources: resources.entries, templates: templates.entries };
      },
    })),
  }).flatMap(({ data }) => data ?? []);
}

/** Pause in typing before files are searched, in milliseconds. */
const DEBOUNCE_MS = 150;

/** Files of the folders that the user shares in the project, asked for while they are wanted. */
function useFiles(query: string | null) {
  const { id: project } = useProject();
  const q = useDebounced(query ?? '', DEBOUNCE_MS);
  const options = { enabled: query !== null, placeholderData: keepPreviousData };
  const { data } = useDesktopQuery('projects.findFiles', { project, q }, options);
  return query === null ? [] : (data?.files ?? []);
}

/** The prompts, resources and files that the message field offers, and the keys that choose one. */
export function useCompletions(
  kept: Kept,
  field: RefObject<HTMLTextAreaElement | null>,
): { list: ReactNode; onKey(event: KeyboardEvent): boolean; described: object } {
  const desktop = useDesktopClient();
  const { id: project } = useProject();
  const { draft, change, add } = kept;
  const asked = askedBy(draft.text);
  const [left, setLeft] = useState('');
  const [filled, setFilled] = useState<(Filled & { before: string }) | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const isOpen = asked !== null && draft.text !== left && filled === null;
  const offered = useOffered(isOpen ? asked.kind : null);
  const files = useFiles(isOpen && asked.kind === 'resources' ? asked.query : null);
  const write = (text: string) => {
    change((now) => ({ ...now, text }));
    field.current?.focus();
  };
  const takePrompt = (
    { appId, name }: Pick<Filled, 'appId' | 'name'>,
    id: string,
    args: Record<string, string>,
  ) =>
    desktop.request('prompts.get', { appId, project, id, arguments: args }).then(({ messages }) => {
      const parts = messages.map(({ part }) => part);
      write(parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n'));
      add(parts.flatMap((part) => (part.type === 'file' ? (fileOf(name, part) ?? []) : [])));
    }, setError);
  const attach = (
    { appId, name }: Pick<Filled, 'appId' | 'name'>,
    which: { uri: string } | { uriTemplate: string; arguments: Record<string, string> },
    before: string,
  ) => {
    write(before);
    return desktop
      .request('resources.read', { appId, project, ...which })
      .then(({ parts }) => add(parts.flatMap((part) => fileOf(name, part) ?? [])), setError);
  };
  const attachFile = ({ path, name }: { path: string; name: string }, before: string) => {
    write(before);
    const address = `/project-files?${new URLSearchParams({ project, path })}`;
    return desktop.bytes(address).then((blob) => add([new File([blob], name)]), setError);
  };
  const before = asked?.before ?? '';
  const entryOf = (
    { appId, from }: Pick<Offered, 'appId' | 'from'>,
    { id, name, description }: { id: string; name: string; description: string },
    choose: () => void,
  ): Option & { name: string } => ({
    ...{ key: `${appId} ${id}`, name },
    choose: () => {
      setError(null);
      choose();
    },
    shown: (
      <>
        <strong>{visible(name)}</strong> <span className="soft">{visible(from)}</span>
        <small>{visible(description)}</small>
      </>
    ),
  });
  const options = !isOpen
    ? []
    : offered
        .flatMap((app) => [
          ...app.prompts.map((prompt) => {
            const { id, name, arguments: args } = prompt;
            const form = { appId: app.appId, of: { prompt: id }, name, arguments: args, before };
            return entryOf(app, prompt, () =>
              args.length > 0 ? setFilled(form) : void takePrompt(form, id, {}),
            );
          }),
          ...app.resources.map(({ uri, name, description }) =>
            entryOf(
              app,
              { id: uri, name, description },
              () => void attach({ ...app, name }, { uri }, before),
            ),
          ),
          ...app.templates.map(({ uriTemplate, name, description }) => {
            const args = variablesOf(uriTemplate);
            const form = { appId: app.appId, of: { uriTemplate }, name, arguments: args, before };
            return entryOf(app, { id: uriTemplate, name, description }, () => setFilled(form));
          }),
        ])
        .filter(({ name }) => name.toLowerCase().includes(asked.query.toLowerCase()))
        .slice(0, files.length > 0 ? MAX_SHOWN / 2 : MAX_SHOWN);
  const found = files.map((file) =>
    entryOf(
      { appId: '', from: file.folder },
      { id: file.path, name: file.name, description: '' },
      () => void attachFile(file, before),
    ),
  );
  const shown = [...options, ...found].slice(0, MAX_SHOWN);
  const { list, onKey, described } = useOptions(
    asked?.kind === 'prompts' ? 'Prompts' : 'Resources and files',
    shown,
    {
      isFirstChosen: true,
      close: () => setLeft(draft.text),
    },
  );
  if (filled) {
    const leave = () => {
      setFilled(null);
      field.current?.focus();
    };
    const use = (args: Record<string, string>) => {
      setFilled(null);
      if ('prompt' in filled.of) void takePrompt(filled, filled.of.prompt, args);
      else void attach(filled, { ...filled.of, arguments: args }, filled.before);
    };
    const form = (
      <Suspense>
        <CompletionForm {...{ filled, use, leave }} />
      </Suspense>
    );
    return { list: form, onKey: () => false, described: {} };
  }
  return { list: list ?? <ErrorMessage error={error} />, onKey, described };
}
