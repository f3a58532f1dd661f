import { ConfirmButton, ErrorMessage, Field, Loaded } from '@svc/ui';
import type { FormEvent } from 'react';
import { Section } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.projects;

/** Creates a submit handler that passes the fields by name, and resets the form after success. */
const submitHandler =
  (act: (texts: (name: string) => string, done: { onSuccess(): void }) => void) =>
  (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    act((name) => String(data.get(name) ?? '').trim(), { onSuccess: () => form.reset() });
  };

function Add() {
  const add = useDesktopMutation('projects.add');
  const submit = submitHandler((text, done) =>
    add.mutate({ name: text('name'), folder: text('folder') || null }, done),
  );
  return (
    <form className="fields" onSubmit={submit}>
      <Field label={MESSAGES.name} name="name" required maxLength={80} />
      <Field label={MESSAGES.folder} hint={MESSAGES.folderHint} name="folder" spellCheck={false} />
      <div className="buttons">
        <button type="submit" className="main" disabled={add.isPending}>
          {MESSAGES.add}
        </button>
      </div>
      <ErrorMessage error={add.error} />
    </form>
  );
}

function List() {
  const client = useDesktopQuery('client.show', {});
  const remove = useDesktopMutation('projects.remove');
  return (
    <Section title={MESSAGES.list}>
      <Loaded query={client}>
        {({ projects }) => (
          <>
            {projects.length === 0 ? <p>{MESSAGES.none}</p> : null}
            <ul className="rows">
              {projects.map(({ id, name, folder }) => (
                <li key={id}>
                  <div>
                    {visible(name)}
                    <p className="soft">{folder === null ? MESSAGES.noFolder : visible(folder)}</p>
                  </div>
                  {/* The last project cannot be removed. */}
                  {projects.length > 1 ? (
                    <ConfirmButton
                      label={MESSAGES.remove}
                      sure={MESSAGES.sure}
                      act={() => remove.mutate({ project: id })}
                    />
                  ) : null}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <ErrorMessage error={remove.error} />
      <Add />
    </Section>
  );
}

function Allowed() {
  const allowed = useDesktopQuery('projects.allowed', {});
  const allow = useDesktopMutation('projects.allow');
  const disallow = useDesktopMutation('projects.disallow');
  const submit = submitHandler((text, done) => allow.mutate({ folder: text('folder') }, done));
  return (
    <Section title={MESSAGES.allowed}>
      <p className="soft">{MESSAGES.allowedHint}</p>
      <Loaded query={allowed}>
        {({ folders }) => (
          <>
            {folders.length === 0 ? <p>{MESSAGES.noAllowed}</p> : null}
            <ul className="rows">
              {folders.map((folder) => (
                <li key={folder}>
                  <div>{visible(folder)}</div>
                  <button type="button" onClick={() => disallow.mutate({ folder })}>
                    {MESSAGES.disallow}
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <form className="fields" onSubmit={submit}>
        <Field label={WORDS.dev.folder} name="folder" required spellCheck={false} />
        <div className="buttons">
          <button type="submit" className="main" disabled={allow.isPending}>
            {MESSAGES.allow}
          </button>
        </div>
      </form>
      <ErrorMessage error={allow.error ?? disallow.error} />
    </Section>
  );
}

/** Projects, and the folders that agents may pass files from. */
export function Projects() {
  return (
    <>
      <p className="soft">{MESSAGES.lead}</p>
      <List />
      <Allowed />
    </>
  );
}
