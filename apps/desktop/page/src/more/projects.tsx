import type { FormEvent } from 'react';
import { Facts, Fault, Field, Heading, Loaded, Section, SureButton } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import { useAsk, useDo } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const SAY = WORDS.projects;

/** Hands over the fields of a form by name, and empties it once what it asked for is done. */
const submitted =
  (act: (texts: (name: string) => string, done: { onSuccess(): void }) => void) =>
  (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    act((name) => String(data.get(name) ?? '').trim(), { onSuccess: () => form.reset() });
  };

function Add() {
  const add = useDo('projects.add');
  const submit = submitted((text, done) =>
    add.mutate({ name: text('name'), folder: text('folder') || null }, done),
  );
  return (
    <form className="fields" onSubmit={submit}>
      <Field label={SAY.name} name="name" required maxLength={80} />
      <Field label={SAY.folder} hint={SAY.folderHint} name="folder" spellCheck={false} />
      <div className="buttons">
        <button type="submit" className="main" disabled={add.isPending}>
          {SAY.add}
        </button>
      </div>
      <Fault error={add.error} />
    </form>
  );
}

function List() {
  const client = useAsk('client.show', {});
  const remove = useDo('projects.remove');
  return (
    <Section title={SAY.list}>
      <Loaded query={client}>
        {({ projects }) => (
          <>
            {projects.length === 0 ? <p>{SAY.none}</p> : null}
            <ul className="rows">
              {projects.map(({ id, name, folder }) => (
                <li key={id}>
                  <div>
                    {visible(name)}
                    <p className="soft">{folder === null ? SAY.noFolder : visible(folder)}</p>
                  </div>
                  {/* The last project stays. */}
                  {projects.length > 1 ? (
                    <SureButton
                      label={SAY.remove}
                      sure={SAY.sure}
                      act={() => remove.mutate({ project: id })}
                    />
                  ) : null}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <Fault error={remove.error} />
      <Add />
    </Section>
  );
}

function Allowed() {
  const allowed = useAsk('projects.allowed', {});
  const allow = useDo('projects.allow');
  const disallow = useDo('projects.disallow');
  const submit = submitted((text, done) => allow.mutate({ folder: text('folder') }, done));
  return (
    <Section title={SAY.allowed}>
      <p className="soft">{SAY.allowedHint}</p>
      <Loaded query={allowed}>
        {({ folders }) => (
          <>
            {folders.length === 0 ? <p>{SAY.noAllowed}</p> : null}
            <ul className="rows">
              {folders.map((folder) => (
                <li key={folder}>
                  <div>{visible(folder)}</div>
                  <button type="button" onClick={() => disallow.mutate({ folder })}>
                    {SAY.disallow}
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
            {SAY.allow}
          </button>
        </div>
      </form>
      <Fault error={allow.error ?? disallow.error} />
    </Section>
  );
}

function About() {
  const client = useAsk('client.show', {});
  return (
    <Section title={SAY.about}>
      <Loaded query={client}>
        {({ version, store, folder }) => (
          <Facts
            facts={[
              [SAY.facts.version, version],
              [SAY.facts.store, store],
              [SAY.facts.folder, folder],
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

/** Projects, the folders that agents may hand files out of, and this desktop itself. */
export function Projects() {
  return (
    <>
      <Heading>{WORDS.pages.projects}</Heading>
      <p className="soft">{SAY.lead}</p>
      <List />
      <Allowed />
      <About />
    </>
  );
}
