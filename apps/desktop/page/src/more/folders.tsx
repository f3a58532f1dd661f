import type { Issue } from '@svc/contracts';
import { visible } from '@svc/text';
import { Button, ButtonLink, count, ErrorMessage, Field, Form, Loaded, OutsideLink, textOf } from '@svc/ui';
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
        <OutsideLink label={code} href={page?.href} />
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
        {appId === null ? null : <ButtonLink label="Open app" href={hashOf('apps', appId, 'panels')} />}
        <Button label="Reload" runs={open} onClick={() => open.mutate({ folder })} />
        <Button label="Close" runs={close} onClick={() => close.mutate({ folder })} />
      </div>
      <ErrorMessage error={open.error ?? close.error} />
    </Section>
  );
}

function Open() {
  const open = useDesktopMutation('folders.open');
  return (
    <Form
      className="card fields"
      action="Open"
      busy={open.isPending}
      submit={(data) => open.mutateAsync({ folder: textOf(data, 'folder') })}
      error={open.error}
    >
      <Field
        label="Folder on this computer"
        hint="Full path of the folder that contains plugin.json."
        name="folder"
        required
        spellCheck={false}
      />
    </Form>
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
