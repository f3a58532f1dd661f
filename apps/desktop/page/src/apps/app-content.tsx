import type { AppPrompt, AppResource } from '@svc/runtime';
import { type FormEvent, useState } from 'react';
import type { AppView, ContentPartView } from '../../../src/wire/views.ts';
import { download } from '../parts/download.ts';
import { ErrorMessage, Field, Loaded } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import { useProject } from '../shell/use-project.ts';
import { useDesktopQuery, useFetch } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.content;

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** One part, as text: nothing that a connector sends is drawn. */
function Part({ part }: { part: ContentPartView }) {
  if (part.type === 'text') return <pre className="result">{visible(part.text)}</pre>;
  if (part.type === 'link') {
    return (
      <p>
        {visible(part.name)} <code>{visible(part.uri)}</code>
      </p>
    );
  }
  return (
    <p>
      <button type="button" onClick={() => download(part.name, new Blob([bytesOf(part.data)]))}>
        {MESSAGES.download(visible(part.name))}
      </button>{' '}
      <span className="soft">{visible(part.mediaType)}</span>
    </p>
  );
}

const Parts = ({ parts }: { parts: readonly ContentPartView[] }) =>
  parts.map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of an answer have an order, and nothing else
    <Part key={i} part={part} />
  ));

type Of = { appId: string; project: string };

function ResourceRow({ resource: { uri, name, description }, ...of }: Of & { resource: AppResource }) {
  const read = useFetch('resources.read');
  return (
    <li>
      <div>
        {visible(name)} <code>{visible(uri)}</code>
        <p className="soft">{visible(description)}</p>
        {read.data ? <Parts parts={read.data.parts} /> : null}
        <ErrorMessage error={read.error} />
      </div>
      <button
        type="button"
        aria-label={MESSAGES.readOne(visible(name))}
        disabled={read.isPending}
        onClick={() => read.mutate({ ...of, uri })}
      >
        {MESSAGES.read}
      </button>
    </li>
  );
}

/** Reads what stands in no list, by its address. */
function ReadByAddress(of: Of) {
  const read = useFetch('resources.read');
  const [uri, setUri] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    read.mutate({ ...of, uri: uri.trim() });
  };
  return (
    <form className="fields" onSubmit={submit}>
      <Field label={MESSAGES.uri} required value={uri} onChange={(event) => setUri(event.target.value)} />
      <div className="buttons">
        <button type="submit" disabled={read.isPending}>
          {MESSAGES.read}
        </button>
      </div>
      {read.data ? <Parts parts={read.data.parts} /> : null}
      <ErrorMessage error={read.error} />
    </form>
  );
}

function Resources(of: Of) {
  const lists = useDesktopQuery('resources.list', of);
  return (
    <Loaded query={lists}>
      {({ resources, templates }) => (
        <>
          {resources.entries.length === 0 ? <p>{MESSAGES.noResources}</p> : null}
          <ul className="rows">
            {resources.entries.map((resource) => (
              <ResourceRow key={resource.uri} {...of} resource={resource} />
            ))}
          </ul>
          {resources.isComplete && templates.isComplete ? null : <p className="mild">{MESSAGES.more}</p>}
          {templates.entries.length === 0 ? null : (
            <>
              <p>{MESSAGES.templates}</p>
              <ul>
                {templates.entries.map(({ uriTemplate, name, description }) => (
                  <li key={uriTemplate}>
                    {visible(name)} <code>{visible(uriTemplate)}</code>{' '}
                    <span className="soft">{visible(description)}</span>
                  </li>
                ))}
              </ul>
              <ReadByAddress {...of} />
            </>
          )}
        </>
      )}
    </Loaded>
  );
}

function PromptRow({
  prompt: { id, name, description, arguments: args },
  ...of
}: Of & { prompt: AppPrompt }) {
  const fill = useFetch('prompts.get');
  const [values, setValues] = useState<Record<string, string>>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    fill.mutate({ ...of, id, arguments: values });
  };
  return (
    <li>
      <form className="fields" onSubmit={submit}>
        <strong>{visible(name)}</strong>
        <p className="soft">{visible(description)}</p>
        {args.map((one) => (
          <Field
            key={one.name}
            label={visible(one.name)}
            hint={visible(one.description)}
            required={one.isRequired}
            value={values[one.name] ?? ''}
            onChange={(event) => setValues({ ...values, [one.name]: event.target.value })}
          />
        ))}
        <div className="buttons">
          <button type="submit" aria-label={MESSAGES.fillOne(visible(name))} disabled={fill.isPending}>
            {MESSAGES.fill}
          </button>
        </div>
        {fill.data?.messages.map(({ role, part }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have an order, and nothing else
          <div key={i}>
            <strong>{MESSAGES.role[role]}</strong>
            <Part part={part} />
          </div>
        ))}
        <ErrorMessage error={fill.error} />
      </form>
    </li>
  );
}

function Prompts(of: Of) {
  const lists = useDesktopQuery('prompts.list', of);
  return (
    <Loaded query={lists}>
      {({ prompts }) => (
        <>
          {prompts.entries.length === 0 ? <p>{MESSAGES.noPrompts}</p> : null}
          <ul className="rows">
            {prompts.entries.map((prompt) => (
              <PromptRow key={prompt.id} {...of} prompt={prompt} />
            ))}
          </ul>
          {prompts.isComplete ? null : <p className="mild">{MESSAGES.more}</p>}
        </>
      )}
    </Loaded>
  );
}

/** What a connector has beside tools. */
export function AppContent({ app: { appId, source } }: { app: AppView }) {
  const project = useProject();
  if (source.kind !== 'connector') return <p>{MESSAGES.notConnector}</p>;
  const of = { appId, project: project.id };
  return (
    <>
      <h2>{MESSAGES.prompts}</h2>
      <Prompts {...of} />
      <h2>{MESSAGES.resources}</h2>
      <Resources {...of} />
    </>
  );
}
