import type { AppPrompt, AppResource } from '@svc/runtime';
import { visible } from '@svc/text';
import { ErrorMessage, Field, Loaded } from '@svc/ui';
import { type FormEvent, useState } from 'react';
import type { AppView, ContentPartView } from '../../../src/wire/views.ts';
import { download } from '../parts/download.ts';
import { useProject } from '../shell/use-project.ts';
import { useDesktopQuery, useFetch } from '../wire/use-desktop.ts';

const ROLE = { user: 'You', assistant: 'Assistant' };

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** One part, as text. No markup or image of a connector is rendered. */
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
        {`Download ${visible(part.name)}`}
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

type Scope = { appId: string; project: string };

function ResourceRow({ resource: { uri, name, description }, ...scope }: Scope & { resource: AppResource }) {
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
        aria-label={`Read ${visible(name)}`}
        disabled={read.isPending}
        onClick={() => read.mutate({ ...scope, uri })}
      >
        Read
      </button>
    </li>
  );
}

/** Reads a resource by its URI, for resources that no list contains. */
function ReadByUri(scope: Scope) {
  const read = useFetch('resources.read');
  const [uri, setUri] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    read.mutate({ ...scope, uri: uri.trim() });
  };
  return (
    <form className="fields" onSubmit={submit}>
      <Field label="Resource URI" required value={uri} onChange={(event) => setUri(event.target.value)} />
      <div className="buttons">
        <button type="submit" disabled={read.isPending}>
          Read
        </button>
      </div>
      {read.data ? <Parts parts={read.data.parts} /> : null}
      <ErrorMessage error={read.error} />
    </form>
  );
}

function Resources(scope: Scope) {
  const lists = useDesktopQuery('resources.list', scope);
  return (
    <Loaded query={lists}>
      {({ resources, templates }) => (
        <>
          {resources.entries.length === 0 ? <p>No resources.</p> : null}
          <ul className="rows">
            {resources.entries.map((resource) => (
              <ResourceRow key={resource.uri} {...scope} resource={resource} />
            ))}
          </ul>
          {resources.isComplete && templates.isComplete ? null : (
            <p className="mild">Not all entries are shown.</p>
          )}
          {templates.entries.length === 0 ? null : (
            <>
              <p>Resource templates, read by URI:</p>
              <ul>
                {templates.entries.map(({ uriTemplate, name, description }) => (
                  <li key={uriTemplate}>
                    {visible(name)} <code>{visible(uriTemplate)}</code>{' '}
                    <span className="soft">{visible(description)}</span>
                  </li>
                ))}
              </ul>
              <ReadByUri {...scope} />
            </>
          )}
        </>
      )}
    </Loaded>
  );
}

function PromptRow({
  prompt: { id, name, description, arguments: args },
  ...scope
}: Scope & { prompt: AppPrompt }) {
  const fill = useFetch('prompts.get');
  const [values, setValues] = useState<Record<string, string>>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    fill.mutate({ ...scope, id, arguments: values });
  };
  return (
    <li>
      <form className="fields" onSubmit={submit}>
        <strong>{visible(name)}</strong>
        <p className="soft">{visible(description)}</p>
        {args.map((argument) => (
          <Field
            key={argument.name}
            label={visible(argument.name)}
            hint={visible(argument.description)}
            required={argument.isRequired}
            value={values[argument.name] ?? ''}
            onChange={({ target: { value } }) => setValues((now) => ({ ...now, [argument.name]: value }))}
          />
        ))}
        <div className="buttons">
          <button type="submit" aria-label={`Get prompt ${visible(name)}`} disabled={fill.isPending}>
            Get prompt
          </button>
        </div>
        {fill.data?.messages.map(({ role, part }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have an order, and nothing else
          <div key={i}>
            <strong>{ROLE[role]}</strong>
            <Part part={part} />
          </div>
        ))}
        <ErrorMessage error={fill.error} />
      </form>
    </li>
  );
}

function Prompts(scope: Scope) {
  const lists = useDesktopQuery('prompts.list', scope);
  return (
    <Loaded query={lists}>
      {({ prompts }) => (
        <>
          {prompts.entries.length === 0 ? <p>No prompts.</p> : null}
          <ul className="rows">
            {prompts.entries.map((prompt) => (
              <PromptRow key={prompt.id} {...scope} prompt={prompt} />
            ))}
          </ul>
          {prompts.isComplete ? null : <p className="mild">Not all entries are shown.</p>}
        </>
      )}
    </Loaded>
  );
}

/** Resources and prompts of a connector. */
export function AppContent({ app: { appId, source } }: { app: AppView }) {
  const project = useProject();
  if (source.kind !== 'connector') return <p>Only connectors have resources and prompts.</p>;
  const scope = { appId, project: project.id };
  return (
    <>
      <h2>Prompts</h2>
      <Prompts {...scope} />
      <h2>Resources</h2>
      <Resources {...scope} />
    </>
  );
}
