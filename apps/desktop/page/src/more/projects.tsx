import { visible } from '@svc/text';
import { ConfirmButton, ErrorMessage, Field, Loaded } from '@svc/ui';
import type { FormEvent } from 'react';
import { Section } from '../parts/parts.tsx';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

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
      <Field label="Name" name="name" required maxLength={80} />
      <Field
        label="Folder"
        hint="Optional. Full path on this computer. Agents can pass files from it to apps, and @ in a message offers them."
        name="folder"
        spellCheck={false}
      />
      <div className="buttons">
        <button type="submit" className="main" disabled={add.isPending}>
          Add project
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
    <Section title="Projects">
      <Loaded query={client}>
        {({ projects }) => (
          <>
            {projects.length === 0 ? <p>No projects yet.</p> : null}
            <ul className="rows">
              {projects.map(({ id, name, folder }) => (
                <li key={id}>
                  <div>
                    {visible(name)}
                    <p className="soft">{folder === null ? 'no folder' : visible(folder)}</p>
                  </div>
                  {/* The last project cannot be removed. */}
                  {projects.length > 1 ? (
                    <ConfirmButton
                      label="Remove"
                      sure="Remove this project? Its folder is not changed."
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
    <Section title="Allowed folders">
      <p className="soft">
        In addition to project folders, agents can pass files from these folders to apps.
      </p>
      <Loaded query={allowed}>
        {({ folders }) => (
          <>
            {folders.length === 0 ? <p>None.</p> : null}
            <ul className="rows">
              {folders.map((folder) => (
                <li key={folder}>
                  <div>{visible(folder)}</div>
                  <button type="button" onClick={() => disallow.mutate({ folder })}>
                    Disallow
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <form className="fields" onSubmit={submit}>
        <Field label="Folder on this computer" name="folder" required spellCheck={false} />
        <div className="buttons">
          <button type="submit" className="main" disabled={allow.isPending}>
            Allow folder
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
      <p className="soft">You switch apps on and off per project. They save files to its folder.</p>
      <List />
      <Allowed />
    </>
  );
}
