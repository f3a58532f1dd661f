import type { Issue } from '@svc/contracts';
import { visible } from '@svc/text';
import { ErrorMessage, Field, Loaded } from '@svc/ui';
import { count } from '@svc/ui/text';
import { type FormEvent, useState } from 'react';
import type { FolderView } from '../../../src/wire/views.ts';
import { Heading, Section } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { useStore } from '../shell/use-project.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

const LEVEL = { error: 'Error', warning: 'Warning' };

function Finding({ issue: { code, level, path, message } }: { issue: Issue }) {
  const store = useStore();
  // Links to the store's own page of the code, never to a URL from the finding.
  const page = URL.parse(`/docs/codes/${encodeURIComponent(code)}`, store);
  return (
    <li className={level}>
      <p className="cluster">
        <strong className="level">{LEVEL[level]}</strong>
        <a href={page?.href} target="_blank" rel="noopener noreferrer">
          {code}
        </a>
        <code className="path">{visible(path)}</code>
      </p>
      <p>{visible(message)}</p>
    </li>
  );
}

function Folder({ view: { folder, appId, issues, fault } }: { view: FolderView }) {
  const open = useDesktopMutation('folders.open');
  const close = useDesktopMutation('folders.close');
  const errors = issues.filter(({ level }) => level === 'error').length;
  return (
    <Section title={visible(appId ?? folder)}>
      {appId === null ? null : <p className="soft">{visible(folder)}</p>}
      <p role="status">
        {fault === null ? (
          <span className={errors > 0 ? 'bad' : 'good'}>
            {issues.length === 0
              ? 'No problems found.'
              : `${count(errors, 'error')}, ${count(issues.length - errors, 'warning')}`}
          </span>
        ) : (
          <span className="bad">{visible(fault)}</span>
        )}
      </p>
      <ul className="findings">
        {issues.map((issue, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two findings may be equal
          <Finding key={i} issue={issue} />
        ))}
      </ul>
      <div className="buttons">
        {appId === null ? null : (
          <a className="button" href={hashOf('apps', appId, 'panels')}>
            Open app
          </a>
        )}
        <button type="button" disabled={open.isPending} onClick={() => open.mutate({ folder })}>
          Reload
        </button>
        <button type="button" disabled={close.isPending} onClick={() => close.mutate({ folder })}>
          Close
        </button>
      </div>
      <ErrorMessage error={open.error ?? close.error} />
    </Section>
  );
}

function Open() {
  const open = useDesktopMutation('folders.open');
  const [folder, setFolder] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    open.mutate({ folder: folder.trim() }, { onSuccess: () => setFolder('') });
  };
  return (
    <form className="fields card" onSubmit={submit}>
      <Field
        label="Folder on this computer"
        hint="Full path of the folder that contains plugin.json."
        required
        spellCheck={false}
        value={folder}
        onChange={(event) => setFolder(event.target.value)}
      />
      <div className="buttons">
        <button type="submit" className="main" disabled={open.isPending}>
          Open
        </button>
      </div>
      <ErrorMessage error={open.error} />
    </form>
  );
}

/**
 * Folders of apps under development, with their findings.
 * @param appId the app to show first
 */
export function Folders({ appId }: { appId: string | null }) {
  const folders = useDesktopQuery('folders.list', {});
  return (
    <>
      <Heading>Developer</Heading>
      <p className="soft">Run an app from its folder while you develop it. It reloads when a file changes.</p>
      <Loaded query={folders}>
        {({ folders: all }) => {
          if (all.length === 0) return <p>No folders open.</p>;
          const sorted = all.toSorted((a, b) => Number(b.appId === appId) - Number(a.appId === appId));
          return sorted.map((view) => <Folder key={view.folder} view={view} />);
        }}
      </Loaded>
      <Open />
    </>
  );
}
