import { visible } from '@svc/text';
import { Button, ConfirmButton, ErrorMessage, Field, Form, Loaded, Rows, textOf } from '@svc/ui';
import { Section } from '../parts/parts.tsx';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

function Add() {
  const add = useDesktopMutation('projects.add');
  const submit = (data: FormData) =>
    add.mutateAsync({ name: textOf(data, 'name'), folder: textOf(data, 'folder') || null });
  return (
    <Form action="Add project" busy={add.isPending} submit={submit} error={add.error}>
      <Field label="Name" name="name" required maxLength={80} />
      <Field
        label="Folder"
        hint="Optional. Full path on this computer. Agents can pass files from it to apps, and @ in a message offers them."
        name="folder"
        spellCheck={false}
      />
    </Form>
  );
}

function List() {
  const client = useDesktopQuery('client.show', {});
  const remove = useDesktopMutation('projects.remove');
  return (
    <Section title="Projects">
      <Loaded query={client}>
        {({ projects }) => (
          <Rows of={projects} none="No projects yet.">
            {({ id, name, folder }) => (
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
            )}
          </Rows>
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
  const submit = (data: FormData) => allow.mutateAsync({ folder: textOf(data, 'folder') });
  return (
    <Section title="Allowed folders">
      <p className="soft">
        In addition to project folders, agents can pass files from these folders to apps.
      </p>
      <Loaded query={allowed}>
        {({ folders }) => (
          <Rows of={folders} none="None.">
            {(folder) => (
              <li key={folder}>
                <div>{visible(folder)}</div>
                <Button label="Disallow" onClick={() => disallow.mutate({ folder })} />
              </li>
            )}
          </Rows>
        )}
      </Loaded>
      <Form
        action="Allow folder"
        busy={allow.isPending}
        submit={submit}
        error={allow.error ?? disallow.error}
      >
        <Field label="Folder on this computer" name="folder" required spellCheck={false} />
      </Form>
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
